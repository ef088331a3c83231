// SPDX-License-Identifier: Apache-2.0
// A placed graph as its messages see it, with partial receivers or without.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polite/placed_graph.h"

namespace polyloom::polite {

/// Rows of targets. Targets and senders are numbered alike: vertices, then partial receivers.
struct Routes {
  std::span<const std::uint64_t>
      begin;  ///< rows of `target`: of (vertex, pin), then of partial receivers; one more
  std::span<const std::uint32_t> target;  ///< of the graph's out-edges, then of partial receivers
  std::vector<std::uint32_t> thread;      ///< of each target
  std::uint32_t vertices;
  unsigned pins;

  /// All three must outlive it.
  Routes(const GraphStore& graph, const Placement& placement, const Combining& combining)
      : begin(combining.empty() ? graph.out_begin() : combining.out_begin),
        target(combining.empty() ? graph.out_target() : combining.target),
        thread(placement.thread),
        vertices(graph.vertices()),
        pins(graph.pins()) {
    for (const Partial& partial : combining.partials) thread.push_back(partial.thread);
  }

  std::size_t rows() const { return begin.size() - 1; }
  std::span<const std::uint32_t> targets(std::size_t row) const {
    return target.subspan(begin[row], begin[row + 1] - begin[row]);
  }
  std::uint32_t sender(std::size_t row) const {
    const std::size_t of_vertices = std::size_t{vertices} * pins;
    return static_cast<std::uint32_t>(row < of_vertices ? row / pins : vertices + (row - of_vertices));
  }
  bool is_partial(std::uint32_t at) const { return at >= vertices; }
  /// Whether what a row sends to a target is no message: a partial receiver on the sender's thread gets it at
  /// once.
  bool is_local(std::size_t row, std::uint32_t to) const {
    return is_partial(to) && thread[to] == thread[sender(row)];
  }
};

}  // namespace polyloom::polite
