// SPDX-License-Identifier: Apache-2.0
// The edges of a graph as they were added to it: what its rows are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "polite/graph_store.h"

namespace polyloom::polite {

struct AddedEdges {
  std::span<const Edge> edges;
  bool both_ways = false;             ///< each also in the other direction, after all of them
  unsigned pins = 1;                  ///< of the graph
  std::size_t label_bytes = 0;        ///< 0: no labels
  const std::uint8_t* pin = nullptr;  ///< of each of `edges`; null: 0
  const std::byte* label = nullptr;   ///< of each of `edges`

  std::uint64_t size() const { return both_ways ? 2 * edges.size() : edges.size(); }

  /// Calls body(from, to, i) for the edges [first, last) in the order of addition; i is where `pin` and
  /// `label` have what belongs to it.
  template <typename Body>
  void each(std::uint64_t first, std::uint64_t last, Body&& body) const {
    const std::uint64_t n = edges.size();
    for (std::uint64_t i = first; i < last && i < n; ++i) body(edges[i].from, edges[i].to, i);
    for (std::uint64_t i = first < n ? n : first; i < last; ++i)
      body(edges[i - n].to, edges[i - n].from, i - n);
  }
};

}  // namespace polyloom::polite
