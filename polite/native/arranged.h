// SPDX-License-Identifier: Apache-2.0
// The graph in the order in which the native engine works on it.
//
// Why: a dense round reads one message for each in-edge, at random. With those of the vertices that have many
// out-edges packed into few cache lines, most reads hit near caches; with vertices of equal in-degree one
// after the other, the processor foresees where rows end. Where that does not make reads near enough, edges
// are kept in tiles.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/pool.h"
#include "polite/graph/edge_buckets.h"
#include "polite/graph/huge_pages.h"
#include "polite/native_view.h"

namespace polyloom::polite {

/// Edges by receiver, ordered by sender; see InEdges.
struct InRows {
  /// `source` has this many entries more than there are edges, for looking ahead.
  static constexpr std::size_t kBeyond = InEdges::kBeyond;
  const std::uint64_t* begin = nullptr;
  const std::uint32_t* source = nullptr;
  const std::uint8_t* pin = nullptr;  ///< null when the graph has one pin
  const std::byte* label = nullptr;
};

/// Edges by tile, 2^bits receivers whose states fit a near cache; in a tile ordered by sender. So messages
/// are read in a row, if only once for each tile, and what is read at random is near.
struct InTiles {
  unsigned bits = 0;  ///< 0: there are no tiles
  std::size_t tiles = 0;
  std::size_t segments = 0;              ///< senders come in segments of 2^(32 - bits)
  const std::uint64_t* begin = nullptr;  ///< by tile and segment, and the end
  const std::uint32_t* edge = nullptr;   ///< sender's place in its segment << bits | receiver's in its tile
  const std::uint8_t* pin = nullptr;     ///< null when the graph has one pin
  const std::byte* label = nullptr;
};

/// Whether by far the most edges leave from the `messages` vertices that have most of them (about: degrees
/// count by their magnitude).
bool mostly_from(const NativeGraph& graph, std::size_t messages);

/// Vertices and edges under new numbers, places. States are not moved: the engine does that. Below
/// kLeastVertices every vertex keeps its number.
class Arranged {
 public:
  static constexpr std::uint32_t kLeastVertices = 1 << 15;

  /// With `pull`, edges by receiver are made. Only with `move` are vertices given new places, if that helps; then
  /// `tile_bits` that are not 0 ask for tiles instead of rows.
  Arranged(const NativeGraph& graph, bool pull, bool move, unsigned tile_bits, fabric::Pool& pool);
  Arranged(const Arranged&) = delete;
  Arranged& operator=(const Arranged&) = delete;

  /// Makes the targets and labels of out(), unless they are there.
  void make_out_edges(fabric::Pool& pool);

  /// Edges by sender, by places; where their rows begin is always known.
  const OutEdges& out() const { return out_; }
  const InRows& in() const { return in_; }
  const InTiles& tiles() const { return tiles_; }
  bool tiled() const { return tiles_.bits != 0; }
  bool moved() const { return !vertex_.empty(); }
  /// Which vertex is at a place.
  std::uint32_t vertex(std::uint32_t place) const { return moved() ? vertex_[place] : place; }

 private:
  bool tiles_are_even(unsigned bits) const;
  void choose_places(std::span<const std::uint32_t> in_degree, fabric::Pool& pool);
  void make_in_edges(bool move, fabric::Pool& pool);
  void make_tiles(unsigned bits, fabric::Pool& pool);
  /// Room for edges by receiver.
  RowArrays in_arrays();
  const std::uint32_t* places() const { return moved() ? place_.data() : nullptr; }

  NativeGraph given_;
  OutEdges out_;
  InRows in_;
  InTiles tiles_;
  HugeArray<std::uint32_t> vertex_;  ///< by place
  HugeArray<std::uint32_t> place_;   ///< by vertex
  HugeArray<std::uint64_t> out_begin_, in_begin_;
  HugeArray<std::uint32_t> out_target_, in_source_;
  HugeArray<std::uint8_t> in_pin_;
  HugeArray<std::byte> out_label_, in_label_;
};

}  // namespace polyloom::polite
