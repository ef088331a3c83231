// SPDX-License-Identifier: Apache-2.0
// One lane of a collective node: the wire's pace on the way out, frames and pulses on the way in.
//
// Contract: beats and control words given to the lane leave in order, each at the first time not before the
//   one stated at which the wire is free; at most kTxBeats wait. A pulse takes no time on the wire and goes
//   before what waits, never into the middle of a beat. What comes in is seen at the first clock edge not
//   before the last word of its beat; data beats then wait in a buffer of rx_beats.
// Block checks: a block is a signature frame, its data frame and a check frame (CRC-32); without them the
//   data frame alone, and one-word frames with the control mark are hello and abort.
// Hardware: FIFO, pacer and CRC unit a direction, and a small state machine that tells control words from
//   data.
// Thread safety: none; embedded in a node. Tests: ../tests/node_test.cc, fault_test.cc, burst_test.cc,
//   swap_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "blocks/crc/sim/crc32.h"
#include "blocks/cycle.h"
#include "blocks/wire_ends.h"
#include "fabric/node.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/sim/edges.h"
#include "roles/collective/sim/params.h"

namespace polyloom::collective {

using blocks::Cycle;
using blocks::kNeverCycle;
using fabric::Time;

inline constexpr unsigned kSwitchBeats = 2;            ///< registers of the switch before each sink
inline constexpr std::uint64_t kControlMark = 0xfe00;  ///< in [63:48] of hello and abort

/// A beat on its way through the node. Bytes beyond `bytes` are zero.
struct Beat {
  std::array<std::uint64_t, kBeatWords> words;
  std::uint8_t bytes = kBeatBytes;
  bool last = false;
};

/// What a lane finds wrong; code 0 is nothing.
struct LaneFault {
  std::uint8_t code = 0;
  std::uint64_t value = 0;
};

struct LaneCounters {
  std::uint64_t beats_out = 0, beats_in = 0, pulses_out = 0, pulses_in = 0, blocks_out = 0, blocks_in = 0;
};

class Lane {
 public:
  Lane(blocks::WireEnds wire, const CollectiveParams& params);
  bool connected() const { return wire_.tx != nullptr && wire_.rx != nullptr; }

  // ---- out
  /// True if the switch may take a beat for this lane at the edge after that time: at most kTxBeats wait in
  /// the FIFO and kSwitchBeats before it. Each of the two FIFOs tells a cycle later that it has room, so this
  /// asks for the edge before.
  bool room(Time before) const { return departures_[oldest_] < before; }
  Time room_from() const { return departures_[oldest_]; }
  /// Precondition: room().
  void send_beat(Time earliest, const Beat& beat);
  /// Control words stand beside the FIFO.
  void send_control(Time earliest, std::uint64_t word);
  void send_pulse(Time earliest);
  /// When the last that was given here leaves.
  Time last_departure() const { return last_departure_; }
  /// Words of the check frame of the block whose last beat was sent.
  std::uint64_t check_word(std::uint16_t block) const;
  void send_signature(Time earliest, std::uint16_t block, std::uint32_t signature);
  /// A fault: ends an open frame, and says why on a frame of its own.
  void abort(Time earliest, std::uint64_t word);
  /// Puts what leaves before `until` on the wire.
  void transmit(Time until);
  Time next_departure() const;

  // ---- in
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

  /// A beat inside of a block leaves as send_beat() says; its words follow with fill(). Precondition: room().
  void book(Time earliest) {
    const Time free = wire_free_, leaves = claim_beat(earliest, kBeatWords);
    if (leaves != free || pieces_.empty()) pieces_.push_back({leaves, 0});
    ++pieces_.back().beats;
  }
  /// The beats in the FIFO and those that come leave one after the other with nothing between them, as long
  /// as a beat comes once there is room. Then beat n has room from room_from() + n * beat_time() on.
  bool flows() const {
    unsigned at = oldest_;
    for (std::size_t left = departures_.size(); left != 0; --left, at = next_slot(at)) {
      if (departures_[at] != wire_free_ - static_cast<Time>(left) * beat_time()) return false;
    }
    return true;
  }
  Time beat_time() const { return static_cast<Time>(kBeatWords) * period_; }
  /// Precondition: flows().
  void book_flow(std::size_t beats) {
    if (pieces_.empty()) pieces_.push_back({wire_free_, 0});
    pieces_.back().beats += beats;
    wire_free_ += static_cast<Time>(beats) * beat_time();
    last_departure_ = wire_free_ - beat_time();
    oldest_ = 0;
    for (std::size_t i = 0; i < departures_.size(); ++i) {
      departures_[i] = wire_free_ - static_cast<Time>(departures_.size() - i) * beat_time();
    }
  }
  /// The words of the oldest beats that were booked.
  void fill(const std::uint64_t* words, std::size_t beats);

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
    counted.beats_in += beats;
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

  /// Blocks begun in each direction.
  std::uint32_t sends = 0, takes = 0;
  LaneCounters counted;

  /// Forgets what is held, what arrives and the counters of pulses and blocks; the peer stays known.
  void clear();
  /// Drops what has arrived: the node stands still.
  void discard();
  void digest(fabric::Digest& d) const;

 private:
  struct RxBeat {
    Beat beat;
    Cycle from;
  };
  /// Contiguous words of one frame on the wire; begins at the border of a beat.
  struct Run {
    Time first;
    bool head, tail;
    std::uint8_t keep;
    std::vector<std::uint64_t> words;
  };
  /// Beats that leave one after the other, booked and not yet filled.
  struct Piece {
    Time first;
    std::size_t beats;
  };
  enum class Expect : std::uint8_t { control, data, check };

  /// The wire for so many words: when the first leaves.
  Time claim(Time earliest, std::size_t words) {
    last_departure_ = std::max(earliest, wire_free_);
    wire_free_ = last_departure_ + static_cast<Time>(words) * period_;
    return last_departure_;
  }
  /// The same for a beat, which also takes a place in the FIFO.
  Time claim_beat(Time earliest, std::size_t words) {
    departures_[oldest_] = claim(earliest, words);
    oldest_ = next_slot(oldest_);
    return last_departure_;
  }
  unsigned next_slot(unsigned at) const { return at + 1 == departures_.size() ? 0 : at + 1; }
  void append(Time at, const std::uint64_t* words, std::size_t n, bool head, bool tail, std::uint8_t keep);
  void emit(Run& run, std::size_t words);
  void emit_pulse(Time at);
  Time run_end(const Run& run) const { return run.first + static_cast<Time>(run.words.size()) * period_; }

  void find_next();
  void take_pulse(Cycle k);
  LaneFault whole_beat(Cycle k, bool single);
  LaneFault control(Cycle k, std::uint64_t word);
  LaneFault data(Cycle k);

  blocks::WireEnds wire_;
  Time period_ = 1;
  bool checks_;
  unsigned rx_beats_;
  Timing timing_;

  // Out.
  std::array<Time, kTxBeats + kSwitchBeats> departures_;
  unsigned oldest_ = 0;
  Time last_departure_ = 0;
  Time wire_free_ = 0;  ///< after all that was accepted
  Time sent_free_ = 0;  ///< after all that was put on the wire
  bool frame_open_ = false;
  bool signed_only_ = false;  ///< a signature went out: the peer takes the next frame for data
  blocks::Crc32 tx_crc_;
  std::deque<Run> runs_;
  std::vector<Piece> pieces_;
  std::size_t piece_ = 0;  ///< the first that is not yet filled
  std::deque<Time> pulses_out_;

  // In.
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
