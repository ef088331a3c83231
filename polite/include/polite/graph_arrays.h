// SPDX-License-Identifier: Apache-2.0
// A graph as arrays in one file, which a program maps instead of reading it: what Python hands over, mostly
// in memory that has no name (memfd_create). polyloom/graphs/arrays.py is the twin.
//
//   64 bytes  GraphArraysHead
//   edges     two numbers of 32 bits each: from, to
//   weights   a double an edge, where the head says so
//   names     none: 0, 1, 2 ...; numbers: 64 bits each, ascending; words: where each ends (64 bits each),
//             then their bytes
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "polite/graph_data.h"

namespace polyloom::polite {

/// Little-endian, as all of the file.
struct GraphArraysHead {
  char magic[16];
  std::uint64_t vertices, edges;
  std::uint32_t has_weights;  ///< 0 or 1
  std::uint32_t mirrored;     ///< 0 or 1: both directions of every edge are there
  std::uint32_t names;        ///< 0: none, 1: numbers, 2: words
  std::uint32_t reserved;
  std::uint64_t word_bytes;  ///< of all words together
  std::uint64_t reserved_too;
};
static_assert(sizeof(GraphArraysHead) == 64);

/// First bytes of such a file.
inline constexpr char kArraysMagic[] = "polyloom-arrays1";

/// Edges as they lie in the file.
struct MappedEdges {
  std::shared_ptr<const void> memory;  ///< keeps them there
  std::span<const Edge> edges;
};

/// Maps a file: its edges, and in `rest` all else, whose edges stay empty. `called`: its name in messages.
/// Throws UserError for a file that is damaged or cannot be mapped.
MappedEdges map_graph_arrays(const std::string& file, const std::string& called, GraphData& rest);

/// Writes such a file, in place. Throws UserError.
void write_graph_arrays(const GraphData& graph, const std::string& file);

}  // namespace polyloom::polite
