// SPDX-License-Identifier: Apache-2.0
// The graph in the order in which the native engine works on it.
//
// Why: a dense round reads one message for each in-edge, at random. With those of the vertices that have many
// out-edges packed into few cache lines, most reads hit near caches; with vertices of equal in-degree one
// after the other, the processor foresees where rows end. Where that does not make reads near enough, edges
// are kept in tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/pool.h"
#include "polite/native/huge_pages.h"
#include "polite/native_view.h"

namespace polyloom::polite {

/// Edges by receiver, ordered by sender; see InEdges.
struct InRows {
  /// `source` has this many entries more than there are edges, for looking ahead.
  static constexpr std::size_t kBeyond = 24;
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

  /// With `pull`, edges by receiver are made too. Only with `move` are vertices given new places; then
  /// `tile_bits` that are not 0 ask for tiles instead of rows.
  Arranged(const NativeGraph& graph, bool pull, bool move, unsigned tile_bits, fabric::Pool& pool);
  Arranged(const Arranged&) = delete;
  Arranged& operator=(const Arranged&) = delete;

  /// As the given graph, but by places.
  const NativeGraph& graph() const { return graph_; }
  const InRows& in() const { return in_; }
  const InTiles& tiles() const { return tiles_; }
  bool tiled() const { return tiles_.bits != 0; }
  bool moved() const { return !vertex_.empty(); }
  /// Which vertex is at a place.
  std::uint32_t vertex(std::uint32_t place) const { return moved() ? vertex_[place] : place; }

 private:
  void choose_places();
  void move_out_edges(fabric::Pool& pool);
  void make_in_edges(fabric::Pool& pool);
  void make_tiles(fabric::Pool& pool);
  /// Where tiles begin among the edges, and the end.
  std::vector<std::uint64_t> tile_begins() const;
  std::uint64_t out_degree(std::uint32_t v) const {
    const std::size_t row = std::size_t{v} * given_.num_pins;
    return given_.out_begin[row + given_.num_pins] - given_.out_begin[row];
  }

  NativeGraph given_, graph_;
  InRows in_;
  InTiles tiles_;
  std::vector<std::uint32_t> vertex_;  ///< by place
  HugeVector<std::uint32_t> place_;    ///< by vertex
  HugeVector<std::uint64_t> out_begin_, in_begin_;
  HugeVector<std::uint32_t> out_target_, in_source_;
  HugeVector<std::uint8_t> in_pin_;
  HugeVector<std::byte> out_label_, in_label_;
};

}  // namespace polyloom::polite
