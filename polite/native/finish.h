// SPDX-License-Identifier: Apache-2.0
// The end of a native run: what vertices have to say when all is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fabric/pool.h"
#include "polite/native/blocks.h"
#include "polite/types.h"

namespace polyloom::polite {

/// Calls finish of vertices, some thousands at a time. Made before a run, since the kernel takes its time to give
/// memory.
template <typename Dev, typename S>
class Finish {
 public:
  using Packet = PMessage<PFinishType<Dev>>;
  /// So many vertices finish at a time.
  static constexpr std::uint32_t kTogether = 64 * kNativeBlock;

  /// At most `most` vertices of a graph of `vertices` finish here.
  Finish(std::uint32_t vertices, std::uint32_t most)
      : vertices_(vertices), packets_(std::min(most, kTogether)) {}

  /// What `count` vertices, at most kTogether, have to say, in their order; valid until the next call.
  std::span<const Packet> some(S* states, std::uint32_t count, std::uint16_t time, fabric::Pool& pool) {
    std::uint32_t counts[kTogether / kNativeBlock];
    each_block(pool, count, [&](std::uint32_t first, std::uint32_t last, unsigned) {
      counts[first / kNativeBlock] = finish_block(states, first, last, time);
    });
    std::uint32_t said = 0;
    for (std::uint32_t first = 0; first < count; first += kNativeBlock) {
      const std::uint32_t more = counts[first / kNativeBlock];
      if (said != first)
        std::memmove(static_cast<void*>(&packets_[said]), &packets_[first], more * sizeof(Packet));
      said += more;
    }
    return {packets_.data(), said};
  }

 private:
  /// Returns how many of the vertices had something to say.
  std::uint32_t finish_block(S* states, std::uint32_t first, std::uint32_t last, std::uint16_t time) {
    std::memset(static_cast<void*>(&packets_[first]), 0, (last - first) * sizeof(Packet));
    std::uint32_t count = 0;
    for (std::uint32_t v = first; v < last; ++v) {
      PPin wish = No;
      Dev d;
      d.s = states + v;
      d.a = nullptr;
      d.readyToSend = &wish;
      d.numVertices = vertices_;
      d.time = time;
      if (d.finish(&packets_[first + count].payload)) ++count;
    }
    return count;
  }

  std::uint32_t vertices_;
  std::vector<Packet> packets_;
};

}  // namespace polyloom::polite
