// SPDX-License-Identifier: Apache-2.0
// One worker's pass over one tile of in-edges (arranged.h): hands its vertices what has come along them.
//
// Vertices of the tile get their messages in turns, each its own in the order of senders, straight into their
// states and pins; steps and sends follow in a pass over the tile's blocks (block_pass.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "polite/native/arranged.h"
#include "polite/native/block_pass.h"
#include "polite/native/labels.h"
#include "polite/native/outbox.h"
#include "polite/native_view.h"
#include "polite/types.h"

namespace polyloom::polite {

template <typename Dev, typename S, typename E, typename M>
class TilePass {
  using Accumulator = typename Dev::Accumulator;
  using Labels = LabelTraits<Dev, E, M>;

 public:
  TilePass(const NativeGraph& graph, const InTiles& in, S* states, Accumulator* accumulators, PPin* wants,
           std::uint16_t time, Outbox<M>& now)
      : in_(in),
        states_(states),
        accumulators_(accumulators),
        wants_(wants),
        sent_(now.pin.data()),
        arriving_(now.message.data()),
        vertices_(graph.num_vertices),
        time_(time) {}

  template <Carry kCarry>
  void receive(std::size_t tile) {
    const std::size_t first = tile << in_.bits;
    const Ends ends{in_.bits, states_ + first, Labels::kAccumulates ? accumulators_ + first : nullptr,
                    wants_ + first};
    for (std::size_t segment = 0; segment < in_.segments; ++segment) {
      const std::uint64_t* const begin = in_.begin + tile * in_.segments + segment;
      const std::size_t sender = segment << (32 - in_.bits);
      receive_segment<kCarry>(ends, sent_ + sender, arriving_ + sender, begin[0], begin[1]);
    }
  }

 private:
  /// How many edges are looked at together.
  static constexpr unsigned kChunk = 64;

  /// Takes edges apart.
  struct Ends {
    unsigned bits;
    S* states;
    Accumulator* accumulators;
    PPin* wants;
    std::uint32_t sender(std::uint32_t edge) const { return edge >> bits; }
    std::uint32_t receiver(std::uint32_t edge) const { return edge & ((1u << bits) - 1); }
  };

  /// Edges [e, end) come from one segment, whose first sender has sent[0], arriving[0].
  template <Carry kCarry>
  INLINE void receive_segment(const Ends ends, const PPin* sent, M* arriving, std::uint64_t e,
                              std::uint64_t end) {
    const auto carries = [&](std::uint64_t i) {
      return sent[ends.sender(in_.edge[i])] == (in_.pin == nullptr ? Pin(0) : Pin(in_.pin[i]));
    };
    const auto receive_one = [&](std::uint64_t i) {
      const std::uint32_t edge = in_.edge[i];
      Dev d;
      d.s = ends.states + ends.receiver(edge);
      if constexpr (Labels::kAccumulates) d.a = ends.accumulators + ends.receiver(edge);
      d.readyToSend = ends.wants + ends.receiver(edge);
      d.numVertices = vertices_;
      d.time = time_;
      Labels::receive(d, arriving + ends.sender(edge), in_.label + i * Labels::kBytes);
    };
    if constexpr (kCarry == Carry::kSome) {
      // Lists which edges of a chunk carry something, without branches.
      std::uint8_t carriers[kChunk];
      for (; e < end; e += kChunk) {
        unsigned count = 0;
        const auto chunk = static_cast<unsigned>(std::min<std::uint64_t>(end - e, kChunk));
        for (unsigned i = 0; i < chunk; ++i) {
          carriers[count] = static_cast<std::uint8_t>(i);
          count += carries(e + i);
        }
        for (unsigned i = 0; i < count; ++i) receive_one(e + carriers[i]);
      }
    } else {
      for (; e < end; ++e) {
        if (kCarry == Carry::kMost && !carries(e)) continue;
        receive_one(e);
      }
    }
  }

  InTiles in_;
  S* states_;
  Accumulator* accumulators_;
  PPin* wants_;
  const PPin* sent_;
  M* arriving_;
  std::uint32_t vertices_;
  std::uint16_t time_;
};

}  // namespace polyloom::polite
