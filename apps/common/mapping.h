// SPDX-License-Identifier: Apache-2.0
// How a graph lies on a cluster and what that will cost, for people (--explain). For machines:
// mapping_json.h.
#pragma once

#include <string>
#include <vector>

#include "polite/placed_graph.h"
#include "polite/vertex_names.h"

namespace polyloom::apps {

struct Mapping {
  polite::Machine machine;
  std::vector<polite::Tree> trees;
  polite::Forecast forecast;
  polite::Forecast without;  ///< partial receivers, all else alike
  polite::Pins pins;         ///< that were asked for
  polite::BoardTraffic traffic;
  std::vector<polite::RouterTable> routers;  ///< by board; none: nothing goes by key
};

/// Of a graph that has been placed and written.
Mapping mapping_of(const polite::GraphStore& graph, const polite::Placement& placement,
                   const polite::MapReport& report);

/// The summary in lines.
std::string explanation_of(const Mapping& mapping, const polite::VertexNames& names);

}  // namespace polyloom::apps
