// SPDX-License-Identifier: Apache-2.0
// What the native engine sees of a mapped graph: plain arrays, no templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polyloom::polite {

/// Edges by receiver. The in-edges of v are [begin[v], begin[v+1]), ordered by source, then pin, then the
/// order of addition: the order in which a serial run would deliver them.
struct InEdges {
  std::vector<std::uint64_t> begin;   ///< vertices + 1
  std::vector<std::uint32_t> source;  ///< sending vertex of each in-edge
  std::vector<std::uint8_t> pin;      ///< its pin; empty when the graph has one pin
  std::vector<std::byte> label;       ///< label_bytes each, same order; empty without labels
};

/// Edges by sender. The out-edges of (v, pin) are [begin[i], begin[i + 1]) with i = v * num_pins + pin, in order
/// of addition.
struct OutEdges {
  std::span<const std::uint64_t> begin;   ///< vertices * pins + 1
  std::span<const std::uint32_t> target;  ///< receiving vertex of each out-edge
  std::byte* label = nullptr;             ///< label_bytes each, same order; null without labels
};

class GraphStore;

/// A mapped graph. All spans stay valid while the PGraph lives. Handlers may write labels (recv gets an E*):
/// use either the labels here or those of in_edges(), not both.
struct NativeGraph {
  std::uint32_t num_vertices = 0;
  std::uint32_t num_pins = 1;
  std::uint64_t num_edges = 0;
  /// Out-edges of (v, pin) are [out_begin[i], out_begin[i + 1]) with i = v * num_pins + pin, in order of
  /// addition.
  std::span<const std::uint64_t> out_begin;
  std::span<const std::uint32_t> out_target;
  std::byte* out_label =
      nullptr;                  ///< label of out-edge e at out_label + e * label_bytes; null without labels
  std::size_t label_bytes = 0;  ///< sizeof(E), 0 when E is empty
  std::byte* state = nullptr;   ///< state of v at state + v * state_bytes (an array of S)
  std::size_t state_bytes = 0;  ///< sizeof(S)
  GraphStore* store = nullptr;
  bool combine = true;  ///< merge messages before a vertex is told of them, if the program has a combiner

  OutEdges out_edges() const { return {out_begin, out_target, out_label}; }
  /// Edges by receiver; built by the first call, which is not thread safe.
  const InEdges& in_edges() const;
  /// In-degree per vertex without building in_edges().
  std::span<const std::uint32_t> in_degree() const;
};

}  // namespace polyloom::polite
