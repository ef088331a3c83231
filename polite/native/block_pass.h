// SPDX-License-Identifier: Apache-2.0
// One worker's pass over one block of vertices: lets them receive, step and send.
//
// Everything here is meant to be inlined into the loop over a block, with handlers, and to stay in registers:
// so it holds pointers by value, and small states and pins are worked on in copies.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fabric/error.h"
#include "polite/combiner.h"
#include "polite/native/arranged.h"
#include "polite/native/labels.h"
#include "polite/native/outbox.h"
#include "polite/native_view.h"
#include "polite/types.h"
#include "roles/overlay/host/bad_pin.h"

namespace polyloom::polite {

/// How many of all edges carry something in a dense round: all, so many that the processor may bet on it, or
/// fewer. kAllFar: all, and the messages do not fit a near cache.
enum class Carry { kAll, kAllFar, kMost, kSome };

template <typename Dev, typename S, typename E, typename M>
class BlockPass {
  using Accumulator = typename Dev::Accumulator;
  using Labels = LabelTraits<Dev, E, M>;
  using Combiner = CombinerOf<Dev, E, M>;

 public:
  /// Delivers from `now` (edges `in`, empty if nothing is pulled) and fills `next`.
  BlockPass(const NativeGraph& graph, const InRows& in, S* states, Accumulator* accumulators, PPin* wants,
            std::uint16_t time, Outbox<M>& now, Outbox<M>& next)
      : states_(states),
        accumulators_(accumulators),
        wants_(wants),
        sent_(now.pin.data()),
        arriving_(now.message.data()),
        next_pin_(next.pin.data()),
        next_message_(next.message.data()),
        vertices_(graph.num_vertices),
        last_pin_(static_cast<PPin>(Pin(0) + graph.num_pins - 1)),
        time_(time),
        least_merged_(graph.combine ? kLeastMerged : ~std::uint64_t{0}),
        in_begin_(in.begin),
        in_source_(in.source),
        in_pin_(in.pin),
        in_label_(in.label) {}

  /// Calls body(d) for a vertex, then its message if it wants to send. kQuiet: none wanted to before.
  template <bool kQuiet, typename Body>
  INLINE void visit(std::uint32_t v, Body&& body) {
    PPin wish = kQuiet ? No : wants_[v];
    Dev d;
    d.readyToSend = &wish;
    d.numVertices = vertices_;
    d.time = time_;
    if constexpr (kAccumulates && sizeof(S) + sizeof(Accumulator) <= kCopiedBytes) {
      S state = states_[v];
      Accumulator accumulator = accumulators_[v];
      d.s = &state;
      d.a = &accumulator;
      body(d);
      if (wish != No) post(v, d);
      states_[v] = state;
      accumulators_[v] = accumulator;
    } else if constexpr (!kAccumulates && sizeof(S) <= kCopiedBytes) {
      S state = states_[v];
      d.s = &state;
      body(d);
      if (wish != No) post(v, d);
      states_[v] = state;
    } else {
      d.s = states_ + v;
      if constexpr (kAccumulates) d.a = accumulators_ + v;
      body(d);
      if (wish != No) post(v, d);
    }
    if (!kQuiet || wish != No) wants_[v] = wish;
  }

  /// Hands a vertex what has come along its in-edges.
  template <Carry kCarry>
  INLINE void receive(Dev& d, std::uint32_t v) {
    const std::uint64_t end = in_begin_[v + 1ull];
    std::uint64_t e = in_begin_[v];
    if constexpr (kMerges && kCarry != Carry::kSome) {
      while (end - e >= least_merged_) {
        const std::uint64_t begin = e;
        e += std::min<std::uint64_t>(end - e, kChunk);
        receive_merged<kCarry>(d, begin, e);
      }
    }
    if constexpr (kCarry == Carry::kSome) {
      std::uint8_t carriers[kChunk];
      for (; e < end; e += kChunk) {
        const unsigned count = find_carriers(e, std::min<std::uint64_t>(end - e, kChunk), carriers);
        for (unsigned i = 0; i < count; ++i) receive_one(d, e + carriers[i]);
      }
    } else {
      for (; e < end; ++e) {
        if (look_at<kCarry>(e)) receive_one(d, e);
      }
    }
  }

  /// The end of a round; messages that the vertex asks for follow the step.
  INLINE void step(Dev& d) {
    if (*d.readyToSend != No) {
      throw UserError("native engine: recv asked to send, but the vertex class says recvNeverSends = true");
    }
    more_ |= d.step();
    ++d.time;
  }
  bool more() const { return more_; }

  /// What the block's vertices, [first, last), have sent. Call at the end.
  Tally tally(const OutEdges& out, std::uint32_t first, std::uint32_t last) {
    Tally sum{senders_, 0, to_host_, again_};
    const std::uint64_t pins = last_pin_ - Pin(0) + 1u;
    if (pins == 1 && senders_ == last - first && to_host_ == 0) {
      sum.edges = out.begin[last] - out.begin[first];
    } else if (senders_ != to_host_) {
      Outbox<M>::each_set(next_pin_, first, (last - first + 7ull) / 8 * 8, [&](std::uint32_t v) {
        if (next_pin_[v] == HostPin) return;
        const std::uint64_t row = v * pins + (next_pin_[v] - Pin(0));
        sum.edges += out.begin[row + 1] - out.begin[row];
      });
    }
    return sum;
  }

 private:
  /// States up to this size are copied.
  static constexpr std::size_t kCopiedBytes = 32;
  static constexpr bool kAccumulates = Labels::kAccumulates;
  /// Whether messages are merged before a vertex is told of them, where most edges carry some. Larger ones
  /// do not stay in registers.
  static constexpr bool kMerges = Combiner::kExists && Labels::kCanPull && sizeof(M) <= 16;
  /// Fewer in-edges are not worth it.
  static constexpr std::uint64_t kLeastMerged = 4;
  /// How many in-edges are looked at together, and merged: sums of more numbers would lose precision.
  static constexpr unsigned kChunk = 64;
  /// How many in-edges ahead messages are fetched. No use, and so a loss, where they are near.
  static constexpr std::uint64_t kAhead = InRows::kBeyond;

  INLINE bool carries(std::uint64_t e) const {
    return sent_[in_source_[e]] == (in_pin_ == nullptr ? Pin(0) : Pin(in_pin_[e]));
  }
  /// Whether in-edge e carries something, where most do. Fetches ahead.
  template <Carry kCarry>
  INLINE bool look_at(std::uint64_t e) const {
    if constexpr (kCarry != Carry::kAll) __builtin_prefetch(arriving_ + in_source_[e + kAhead]);
    if constexpr (kCarry == Carry::kMost) {
      __builtin_prefetch(sent_ + in_source_[e + kAhead]);
      return carries(e);
    } else {
      return true;
    }
  }
  /// Merges what the in-edges [e, end) carry and hands over the result: in two parts, because each addition
  /// to one waits for the addition before.
  template <Carry kCarry>
  INLINE void receive_merged(Dev& d, std::uint64_t e, std::uint64_t end) {
    M even = Combiner::identity(), odd = even;
    bool some = false;
    const auto merge = [&](M & into, std::uint64_t edge) __attribute__((always_inline)) {
      if (!look_at<kCarry>(edge)) return;
      M message = arriving_[in_source_[edge]];
      if constexpr (Labels::kLabelled)
        Combiner::along(message, *reinterpret_cast<const E*>(in_label_ + edge * Labels::kBytes));
      Combiner::combine(into, message);
      some = true;
    };
    for (; end - e >= 2; e += 2) {
      merge(even, e);
      merge(odd, e + 1);
    }
    if (e < end) merge(even, e);
    if (!some) return;
    Combiner::combine(even, odd);
    const E neutral = Combiner::neutral_label();
    Labels::receive(d, &even, reinterpret_cast<const std::byte*>(&neutral));
  }
  INLINE void receive_one(Dev& d, std::uint64_t e) {
    Labels::receive(d, arriving_ + in_source_[e], in_label_ + e * Labels::kBytes);
  }
  /// Lists which of the in-edges e, e + 1 .. carry something, without branches. Returns how many.
  INLINE unsigned find_carriers(std::uint64_t e, std::uint64_t edges, std::uint8_t* carriers) const {
    unsigned count = 0;
    for (unsigned i = 0; i < edges; ++i) {
      __builtin_prefetch(arriving_ + in_source_[e + i + kAhead]);
      carriers[count] = static_cast<std::uint8_t>(i);
      count += carries(e + i);
    }
    return count;
  }

  INLINE void post(std::uint32_t v, Dev& d) {
    const PPin pin = *d.readyToSend;
    if (pin > last_pin_) [[unlikely]]
      throw UserError("native engine: " + overlay::bad_pin_text(pin - Pin(0), last_pin_ - Pin(0) + 1u));
    d.send(next_message_ + v);
    next_pin_[v] = pin;
    ++senders_;
    to_host_ += pin == HostPin;
    again_ += *d.readyToSend != No;
  }

  S* states_;
  Accumulator* accumulators_;
  PPin* wants_;
  const PPin* sent_;
  M* arriving_;
  PPin* next_pin_;
  M* next_message_;
  std::uint32_t vertices_;
  PPin last_pin_;
  std::uint16_t time_;
  std::uint64_t least_merged_;  ///< in-edges of a vertex whose messages are merged
  const std::uint64_t* in_begin_;
  const std::uint32_t* in_source_;
  const std::uint8_t* in_pin_;
  const std::byte* in_label_;
  std::uint64_t senders_ = 0, to_host_ = 0, again_ = 0;
  bool more_ = false;
};

}  // namespace polyloom::polite
