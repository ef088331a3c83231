// SPDX-License-Identifier: Apache-2.0
// One function a format; each reads a whole source or throws UserError.
#pragma once

#include "polite/graph_data.h"
#include "polite/readers/text_source.h"

namespace polyloom::polite {

/// Largest vertex number of any file.
inline constexpr std::uint64_t kLargestId = 0xfffffffdull;

GraphData read_edge_list(TextSource& source, bool renumber);
GraphData read_matrix_market(TextSource& source);
GraphData read_dimacs(TextSource& source);
GraphData read_metis(TextSource& source);
GraphData read_snapshot(TextSource& source);

/// First line of a snapshot.
inline constexpr const char* kSnapshotMagic = "polyloom-graph 1";

}  // namespace polyloom::polite
