// SPDX-License-Identifier: Apache-2.0
// A lane's way in: frames, pulses and the receive buffer.
//
// Owns: what arrives and is not yet whole, the state of frames and their CRC, the buffer of rx_beats, the
// pulses
//   that have come.
// Contract: what comes in is seen at the first clock edge not before the last word of its beat; data beats
// then
//   wait in the buffer. Which frames there are: lane_out.h.
// Hardware: FIFO, CRC unit, and a small state machine that tells control words from data.
// Thread safety: none; embedded in a node. Tests: ../tests/node_test.cc, fault_test.cc, burst_test.cc,
//   swap_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "blocks/crc/sim/crc32.h"
#include "blocks/cycle.h"
#include "fabric/node.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/sim/beat.h"
#include "roles/collective/sim/edges.h"
#include "roles/collective/sim/params.h"

namespace polyloom::collective {

/// What a lane finds wrong; code 0 is nothing.
struct LaneFault {
  std::uint8_t code = 0;
  std::uint64_t value = 0;
};

class LaneIn {
 public:
  /// `rx` is null where nothing is connected. A whole beat takes `beat_time` on the wire.
  LaneIn(fabric::Rx* rx, Time beat_time, const CollectiveParams& params);

  /// Takes over from the wire what begins to arrive before `until`.
  void collect(Time until);
  /// When receive() next has something to do: the arrival of a whole beat or a pulse that was collected.
  Time next_arrival() const { return next_complete_; }
  /// What has arrived by `now`, the time of edge k: pulses, and one beat.
  LaneFault receive(Cycle k, Time now);
  /// A pulse counts from its cycle on.
  bool count_pulses(Cycle k);
  Cycle next_pulse() const { return due_.empty() ? kNeverCycle : due_.front(); }
  std::uint32_t pulses() const { return pulses_; }

  bool holds_beat(Cycle k) const { return count_ != 0 && ring_[head_].from <= k; }
  Cycle beat_from() const { return count_ == 0 ? kNeverCycle : ring_[head_].from; }
  const Beat& front() const { return ring_[head_].beat; }
  void pop() {
    ends_held_ -= front().last;
    head_ = (head_ + 1) & mask_;
    --count_;
  }
  unsigned held() const { return count_; }
  /// Beat i of those held, and when it is at the source.
  const Beat& held_beat(unsigned i) const { return ring_[(head_ + i) & mask_].beat; }
  Cycle held_from(unsigned i) const { return ring_[(head_ + i) & mask_].from; }
  /// A block's last beat is among them.
  bool holds_end() const { return ends_held_ != 0; }
  bool holds_signature() const { return signature_held_; }
  Cycle signature_at() const { return signature_at_; }
  /// The signature of the block at the front, once; precondition: holds_signature().
  std::uint64_t take_signature() {
    signature_held_ = false;
    return signature_;
  }
  /// The edge at which the block's check frame came; kNeverCycle: not yet.
  Cycle checked_at() const { return checked_at_; }
  void forget_check() { checked_at_ = kNeverCycle; }
  std::uint32_t peer() const { return peer_; }  ///< register value: valid[31] node[23:8] port[7:0]

  // ---- many beats at once (burst.h); each call does what the ones above do beat by beat

  struct Plain {
    Time until;      ///< before it nothing but whole beats inside of a block arrives
    unsigned beats;  ///< at most so many
  };
  Plain plain(Time until) const;
  /// How many plain beats have arrived by `now`.
  std::size_t plain_by(Time now) const;
  /// When the n-th plain beat from now on, the first being 0, is whole.
  Time plain_time(std::size_t n) const;
  /// Puts the edges from `k` to before `end` at which plain beats arrive into `at`; how many.
  std::size_t plain_edges(const Edges& edges, Cycle k, Cycle end, Cycle* at) const;
  /// Takes so many plain beats off the wire; `use` gets them as pieces: words, beats.
  template <typename Use>
  void take_plain(std::size_t beats, Use use) {
    counted.beats += beats;
    while (beats != 0) {
      const fabric::Segment& s = inbox_.front();
      const std::size_t n = std::min(beats, (s.words.size() - position_) / kBeatWords);
      const std::uint64_t* words = s.words.data() + position_;
      if (checks_) rx_crc_.add({words, n * kBeatWords});
      use(words, n);
      beats -= n;
      position_ += n * kBeatWords;
      if (position_ == s.words.size()) {
        inbox_.pop_front();
        position_ = 0;
      }
    }
    find_next();
  }
  /// A plain beat that stays in the buffer.
  void hold(const std::uint64_t* words, Cycle arrived);

  /// Forgets what is held, what arrives and the pulses; the peer stays known.
  void clear();
  /// Drops what has arrived: the node stands still.
  void discard();

  std::uint32_t begun = 0;  ///< blocks
  struct Counters {
    std::uint64_t beats = 0, pulses = 0, blocks = 0;
  } counted;

 private:
  struct RxBeat {
    Beat beat;
    Cycle from;
  };
  enum class Expect : std::uint8_t { control, data, check };

  void find_next();
  void take_pulse(Cycle k);
  LaneFault whole_beat(Cycle k, bool single);
  LaneFault control(Cycle k, std::uint64_t word);
  LaneFault data(Cycle k);

  fabric::Rx* rx_;
  const Time beat_time_;
  bool checks_;
  unsigned rx_beats_;
  Timing timing_;

  std::deque<fabric::Segment> inbox_;
  std::size_t position_ = 0;  ///< in the front segment
  Time next_complete_ = fabric::kNever;
  Beat partial_{};
  unsigned partial_words_ = 0;
  bool partial_head_ = false;
  bool mid_frame_ = false;  ///< of data
  Expect expect_ = Expect::control;
  blocks::Crc32 rx_crc_;
  std::vector<Cycle> due_;
  Cycle last_due_ = 0;
  std::uint32_t pulses_ = 0;
  std::vector<RxBeat> ring_;
  unsigned head_ = 0, count_ = 0, mask_ = 0, ends_held_ = 0;
  bool signature_held_ = false;
  std::uint64_t signature_ = 0;
  Cycle signature_at_ = 0, checked_at_ = kNeverCycle;
  std::uint32_t peer_ = 0;
};

}  // namespace polyloom::collective
