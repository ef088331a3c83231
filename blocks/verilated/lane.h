// SPDX-License-Identifier: Apache-2.0
// A lane of a node at its wire: beats of several words at clock edges on one side, the fabric's words and
// pulses on the other. The one statement of what happens when, for Verilated nodes and cycle-stepped models
// alike.
//
// Contract, t = time of a clock edge, edges in growing order:
//   LaneRx   A beat has arrived when its last word has. At each edge the oldest beat that has arrived at or
//            before t is presented; it is there until it is popped, and the next one is presented at the next
//            edge. Pulses likewise, in a queue of their own, one an edge.
//   LaneTx   push(t) accepts a beat at edge t. It leaves at max(t, end of the beat before), its words back to
//            back. It is in the FIFO from t until it begins to leave.
//            ready(t): fewer than `fifo_beats` beats that were pushed before t leave after t. So a beat that
//            is pushed at t on a free wire never counts. Without a FIFO: ready if the wire is free before the
//            next edge, so a beat is accepted in the cycle in which it leaves, as by a serializer with one
//            register.
//            pulse(t) leaves at t, or, if a beat that began to leave before t is on the wire, at that beat's
//            end; before all later beats, one pushed at t included. Calls of one edge may come in any order.
// Nothing depends on where the fabric's windows begin and end: each beat is one segment.
// Source: own design; fabric/README.md "Rules that nodes can build on".   Tests: lane_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "fabric/node.h"

namespace polyloom::blocks {

inline constexpr unsigned kMaxBeatWords = 16;  ///< 1024 bit

struct LaneBeat {
  std::array<std::uint64_t, kMaxBeatWords> data{};  ///< words from `words` on are zero
  unsigned words = 0;                               ///< 1 .. the lane's width; fewer only in the last beat
  unsigned keep = 8;                                ///< valid bytes of the last word
  bool last = false;                                ///< the frame ends here

  /// Valid bytes, all from byte 0 on.
  unsigned bytes() const { return words == 0 ? 0 : 8 * (words - 1) + keep; }
};

/// A frame whose tail carries no word ends in a beat of no words (bytes() == 0) if nothing else was left of
/// it.
class LaneRx {
 public:
  /// `rx` may be null: nothing ever comes. beat_words: 1..kMaxBeatWords.
  LaneRx(fabric::Rx* rx, unsigned beat_words);

  /// Takes what arrives at or before t.
  void collect(fabric::Time t);
  /// What is presented at the edge of the last collect(), or null.
  const LaneBeat* beat() const { return beats_.empty() ? nullptr : &beats_.front(); }
  void pop_beat() { beats_.pop_front(); }
  bool pulse() const { return pulses_ != 0; }
  void pop_pulse() { --pulses_; }
  /// Something is presented now.
  bool pending() const { return pulses_ != 0 || !beats_.empty(); }
  /// Earliest arrival among what the fabric has delivered and collect() has not taken.
  fabric::Time next_arrival() const;

  std::uint64_t words() const { return words_; }
  std::uint64_t pulses() const { return pulses_seen_; }

 private:
  void finish(bool last, unsigned keep);

  fabric::Rx* rx_;
  unsigned beat_words_;
  std::size_t position_ = 0;  ///< in the front segment
  LaneBeat partial_;
  std::deque<LaneBeat> beats_;
  std::uint64_t pulses_ = 0, words_ = 0, pulses_seen_ = 0;
};

class LaneTx {
 public:
  /// `tx` may be null: what is sent is lost, at once.
  LaneTx(fabric::Tx* tx, unsigned fifo_beats);

  /// `next`: time of the edge after t; read if there is no FIFO.
  bool ready(fabric::Time t, fabric::Time next = 0) const;
  /// Precondition: ready(t); no beat was pushed at t yet. Throws std::logic_error on a beat of no bytes.
  void push(fabric::Time t, const LaneBeat& beat);
  void pulse(fabric::Time t);
  /// Sends what leaves before `until`: to be called at the end of each advance(until).
  void flush(fabric::Time until);
  /// Departure of what waits; kNever if nothing does.
  fabric::Time next_event() const { return out_.empty() ? fabric::kNever : out_.front().first; }

  std::uint64_t words() const { return words_; }
  std::uint64_t pulses() const { return pulses_; }

 private:
  fabric::Tx* tx_;
  fabric::Time period_;
  std::size_t fifo_beats_;
  bool in_frame_ = false;
  fabric::Time free_ = 0;  ///< end of the last beat pushed
  /// Departures of the last `fifo_beats` beats: the lane is ready when the oldest of them has begun to leave.
  std::deque<fabric::Time> starts_;
  struct Span {
    fabric::Time begin, end;
  };
  std::deque<Span> spans_;           ///< of beats that may not have left yet, for pulses
  std::deque<fabric::Segment> out_;  ///< in order of departure
  std::uint64_t words_ = 0, pulses_ = 0;
};

}  // namespace polyloom::blocks
