// SPDX-License-Identifier: Apache-2.0
// A lane's way out: the wire's pace, frames and pulses.
//
// Owns: what the wire is booked for, the frame that is open and its CRC, what waits to leave.
// Contract: beats and control words given to it leave in order, each at the first time not before the one
//   stated at which the wire is free; at most kTxBeats wait. A pulse takes no time on the wire and goes
//   before what waits, never into the middle of a beat.
// Block checks: a block is a signature frame, its data frame and a check frame (CRC-32); without them the
//   data frame alone, and one-word frames with the control mark are hello and abort.
// Hardware: FIFO, pacer and CRC unit.
// Thread safety: none; embedded in a node. Tests: ../tests/node_test.cc, fault_test.cc, burst_test.cc,
//   swap_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "blocks/crc/sim/crc32.h"
#include "fabric/node.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/arch/timing.h"
#include "roles/collective/sim/beat.h"

namespace polyloom::collective {

using fabric::Time;

class LaneOut {
 public:
  /// `tx` is null where nothing is connected.
  LaneOut(fabric::Tx* tx, bool checks);

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

  std::uint32_t begun = 0;  ///< blocks
  struct Counters {
    std::uint64_t beats = 0, pulses = 0, blocks = 0;
  } counted;

 private:
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

  fabric::Tx* tx_;
  Time period_ = 1;
  bool checks_;
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
};

}  // namespace polyloom::collective
