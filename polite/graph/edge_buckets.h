// SPDX-License-Identifier: Apache-2.0
// Edges sorted into rows.
//
// How: one pass over memory deals all edges to buckets, ranges of the vertices that own the rows; a bucket
// fits a near cache, where one worker sorts it and writes its rows. Both keep the order of addition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "fabric/pool.h"
#include "polite/graph/added_edges.h"

namespace polyloom::polite {

/// What rows are written to; null what the graph does not have or the rows do not need.
struct RowArrays {
  std::uint32_t* other = nullptr;  ///< the end that does not own the row
  std::uint8_t* pin = nullptr;
  std::byte* label = nullptr;
};

class EdgeBuckets {
 public:
  enum class By { kSender, kReceiver };
  /// All ends exist. The pool's number of workers changes nothing but the time.
  static std::unique_ptr<EdgeBuckets> deal(const AddedEdges& edges, std::uint32_t vertices, By by,
                                           fabric::Pool& pool);
  /// By tile and segment as InTiles (polite/native/arranged.h) has them; by places, if `place` is not null.
  static std::unique_ptr<EdgeBuckets> deal_tiles(const AddedEdges& edges, std::uint32_t vertices,
                                                 unsigned bits, const std::uint32_t* place,
                                                 fabric::Pool& pool);
  virtual ~EdgeBuckets() = default;

  /// Writes how many edges each vertex owns.
  virtual void count(std::uint32_t* degree, fabric::Pool& pool) const = 0;
  /// Writes all rows; once, since it sorts in place. By sender, row v * pins + pin has its edges in the order
  /// of addition; by receiver, row v has them ordered by sender, then pin, then the order of addition. `begin`
  /// says where rows begin. With `place`, v is not the vertex but its place, for both ends.
  virtual void write_rows(const std::uint64_t* begin, const std::uint32_t* place, const RowArrays& out,
                          fabric::Pool& pool) = 0;
  /// Writes the tiles of deal_tiles().
  virtual void write_tiles(std::uint64_t* begin, const RowArrays& out, fabric::Pool& pool) = 0;
};

}  // namespace polyloom::polite
