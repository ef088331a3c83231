// SPDX-License-Identifier: Apache-2.0
// What the native engine sees of a mapped graph: plain arrays, no templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace polyloom::polite {

/// Edges by sender. The out-edges of (v, pin) are [begin[i], begin[i + 1]) with i = v * num_pins + pin, in order
/// of addition.
struct OutEdges {
  std::span<const std::uint64_t> begin;   ///< vertices * pins + 1
  std::span<const std::uint32_t> target;  ///< receiving vertex of each out-edge
  std::byte* label = nullptr;             ///< label_bytes each, same order; null without labels
};

/// Edges by receiver. The in-edges of v are [begin[v], begin[v+1]), ordered by source, then pin, then the
/// order of addition: the order in which a serial run would deliver them.
struct InEdges {
  std::span<const std::uint64_t> begin;   ///< vertices + 1
  std::span<const std::uint32_t> source;  ///< sending vertex of each in-edge
  const std::uint8_t* pin = nullptr;      ///< its pin; null when the graph has one pin
  const std::byte* label = nullptr;       ///< label_bytes each, same order; null without labels
  /// `source` has room for so many more, for looking ahead.
  static constexpr std::size_t kBeyond = 24;
};

class GraphStore;

/// A mapped graph. All spans stay valid while the PGraph lives. Handlers may write labels (recv gets an E*):
/// use either the labels of out_edges() or those of in_edges(), not both.
struct NativeGraph {
  std::uint32_t num_vertices = 0;
  std::uint32_t num_pins = 1;
  std::uint64_t num_edges = 0;
  std::size_t label_bytes = 0;  ///< sizeof(E), 0 when E is empty
  std::byte* state = nullptr;   ///< state of v at state + v * state_bytes (an array of S)
  std::size_t state_bytes = 0;  ///< sizeof(S)
  GraphStore* store = nullptr;
  bool combine = true;  ///< merge messages before a vertex is told of them, if the program has a combiner
  /// Of several processes: merge them before they are sent, also to a process of the same host, where sending
  /// costs less than that.
  bool combine_near = false;
  /// Each edge is there in the other direction too, with the same label; one pin. Then out_edges() are in-edges,
  /// for who does not mind the order in a row.
  bool mutual = false;

  /// Edges by sender, by receiver; each built by the first call, which is not thread safe.
  OutEdges out_edges() const;
  InEdges in_edges() const;
  /// Per vertex, without building rows; counted by the first call, which is not thread safe.
  std::span<const std::uint32_t> out_degree() const;
  std::span<const std::uint32_t> in_degree() const;
};

}  // namespace polyloom::polite
