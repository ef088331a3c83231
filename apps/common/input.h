// SPDX-License-Identifier: Apache-2.0
// The graph that an application works on, from a file or a generator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/options.h"
#include "polite/graph_store.h"

namespace polyloom::apps {

struct Input {
  std::uint32_t vertices = 0;
  std::vector<polite::Edge> edges;
  std::vector<std::uint32_t> weights;  ///< one an edge; empty if the graph has none
  std::vector<std::string> names;      ///< one a vertex, or empty
  std::string description;             ///< file name or generator
};

/// Loads or makes the graph that the options name; progress on standard error if it is a terminal. With
/// `want_weights` the answer has weights: the file's, or drawn (--max-weight), or all 1. Throws UserError.
Input load_input(const Options& options, bool want_weights = false);

/// Throws UserError unless `vertex` exists.
void check_vertex(const Input& input, std::uint32_t vertex, const char* option);

}  // namespace polyloom::apps
