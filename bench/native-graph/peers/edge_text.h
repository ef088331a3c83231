// SPDX-License-Identifier: Apache-2.0
// Text edge lists, a line "from to" for each edge.
#pragma once

#include <string>

#include "polite/graph_data.h"

namespace polyloom::bench::peers {

/// By formatted streams, as the GAP Benchmark Suite reads ".el" files; vertices are 0 to the largest that occurs.
polite::GraphData read_edge_text(const std::string& path);
void write_edge_text(const std::string& path, std::span<const polite::Edge> edges);

}  // namespace polyloom::bench::peers
