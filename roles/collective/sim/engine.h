// SPDX-License-Identifier: Apache-2.0
// The engine of a collective node, cycle by cycle: sequencer, R# and W# engines, switch, lanes.
//
// How: run(to) steps edge by edge through everything that moves, in the order wire, sequencer, begin of
//   blocks, memory, switch; what one of them does at edge k the others see at k + 1 or later, as registers
//   do. When nothing moves it goes on at the next edge at which something can (an arrival, a due latency), so
//   waiting costs nothing. Latencies: timing.h, README.md "Order of events".
// Moving: a beat goes in one copy from the memory or receive buffer to the wire or memory it is for, at the
//   edge at which the switch takes it; FIFOs behind that are counted, not held. A program that reads what the
//   same step writes may therefore see other bytes than the RTL.
// Speed: while streams just flow, all cycles up to the next other event are computed at once
//   (engine_burst.cc).
// Faults: the first stops the node: lanes end their frames and say abort, the host gets an event.
// Thread safety: none; embedded in a node. Tests: roles/collective/tests.
#pragma once

#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blocks/memory/sim/backing_store.h"
#include "blocks/memory/sim/hbm2.h"
#include "blocks/operators/sim/operator.h"
#include "fabric/trace.h"
#include "roles/collective/sim/lane.h"
#include "roles/collective/sim/params.h"
#include "roles/collective/sim/pattern.h"

namespace polyloom::collective {

/// Of a beat that is written: the sum over all beats is part of the digest, so they may be hashed in any
/// order.
inline std::uint64_t beat_hash(const std::uint64_t* w, std::uint64_t offset) {
  std::uint64_t term = w[0] ^ std::rotl(w[1], 17) ^ std::rotl(w[2], 34) ^ std::rotl(w[3], 51);
  term += (offset + kBeatBytes) * 0x9e3779b97f4a7c15ull;
  term = (term ^ (term >> 32)) * 0xd6e8feb86659fd93ull;
  return term ^ (term >> 29);
}

/// How a program ended: what becomes the event frame.
struct ProgramEnd {
  std::uint8_t code = 0;  ///< 0 or Fault
  std::uint16_t instruction = 0;
  std::uint8_t lane = 0xff;
  Cycle begin = 0, finish = 0;
  std::uint64_t value = 0;
};

class Engine {
 public:
  enum class State : std::uint8_t { idle = 0, running = 1, stopped = 2 };
  /// Why a source's beat did not move in a cycle.
  enum Stall : std::uint8_t { kNone, kBegin, kSource, kWire, kMemory, kOperator, kStalls };

  /// `memory` is null if contents are not stored. `ended` is called when a program ends or the node stops.
  Engine(const CollectiveParams& params, std::vector<blocks::WireEnds> lanes, blocks::BackingStore* memory,
         std::function<void(const ProgramEnd&)> ended, fabric::TraceTrack* trace);

  /// Takes what arrives before `until` from the wire; to be called before the run that reaches it.
  void collect(Time until);
  /// Edges up to, not including, `to`.
  void run(Cycle to);
  void transmit(Time until);
  /// The first edge from the present one on at which something may happen; kNeverCycle: only the wire can
  /// tell.
  Cycle next_edge() const;
  Time next_departure() const;
  Cycle now() const { return now_; }

  // Registers.
  State state() const { return state_; }
  bool start(Cycle c, std::uint64_t index);
  void hello(Cycle c);
  bool clear();
  std::uint16_t node = 0;
  std::uint64_t watchdog = 0;
  Cycle begin() const { return begin_; }
  Cycle finish() const { return finish_; }
  Cycle mark(unsigned i) const { return marks_[i]; }
  std::uint64_t operator_status(unsigned word) const { return slot_ ? slot_->status(word) : 0; }
  Lane& lane(unsigned l) { return lanes_[l]; }
  unsigned lanes() const { return static_cast<unsigned>(lanes_.size()); }
  std::vector<std::uint64_t>& program() { return program_; }
  /// Off: every edge is stepped, with the same result (engine_burst.cc). For tests.
  void allow_bursts(bool allowed) { bursts_allowed_ = allowed; }
  std::uint64_t burst_cycles() const { return burst_cycles_; }
  /// Tells someone else of programs' ends (tests, which have no host).
  void listen(std::function<void(const ProgramEnd&)> ended) { ended_ = std::move(ended); }

  std::string waiting_for() const;
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void reset_counters();
  void digest(fabric::Digest& d) const;

 private:
  struct Reader {
    bool active = false, begun = false;
    PatternCursor issue, take;
    PatternSpan span;
    std::vector<Cycle> ready;  ///< ring: when each beat asked for is at the source
    unsigned head = 0, count = 0, depth = 0;
    Cycle request_from = 0;
    bool even = false;  ///< no request of the step has had to wait for a write
    std::uint64_t beats = 0;
  };
  struct Writer {
    bool active = false, ended = false, open_end = false;
    PatternCursor data, grant;  ///< of the next beat from the switch, and to the memory
    unsigned held = 0, coming = 0;
    bool full = false;  ///< the switch's registers before it, at the start of the cycle
    PatternSpan span;
    std::uint64_t beats = 0, hash = 0;
  };
  /// An input of the operator: the switch's registers before it.
  struct Feed {
    bool active = false, finished = false;
    std::array<Beat, kSwitchBeats> beats;
    unsigned held = 0, coming = 0;
    bool full = false;
  };
  struct Send {
    bool active = false, begun = false, eager = false, pulse_only = false;
    std::uint32_t signature = 0;
  };
  struct Take {
    bool active = false, eager = false, pulse_only = false;
    bool relay_pulse = false;  ///< the ready pulse waits for the lanes that copy the block
    bool moved = false;        ///< the last beat has left the buffer
    Cycle from = kNeverCycle, moved_at = 0;
    std::uint32_t signature = 0;
    std::uint32_t block = 0;
  };
  struct Sink {
    enum Kind : std::uint8_t { write, tx, feed } kind;
    std::uint8_t index;
  };
  /// A source of the step and what it feeds.
  struct Flow {
    enum Kind : std::uint8_t { read, lane, result } kind;
    std::uint8_t index = 0;
    bool begun = false, finished = false;
    Stall stall = kNone;
    std::vector<Sink> sinks;
    Cycle from = 0;  ///< its beats move from then on, once begun
  };

  Time at(Cycle k) const { return edges_.at(k); }
  /// The first edge, not before `guess`, at which a beat may be taken for a lane that has room from then on:
  /// Lane::room() asks for the edge before.
  Cycle sees_room(Time room_from, Cycle guess) const { return edges_.from(room_from + 1, guess - 1) + 1; }

  bool cycle(Cycle k);
  bool arrivals(Cycle k);
  bool sequence(Cycle k);
  bool begin_blocks(Cycle k);
  bool memories(Cycle k);
  bool switch_beats(Cycle k);
  bool feed_operator(Cycle k);
  bool clock_operator(Cycle k);
  bool finish_takes(Cycle k);
  Cycle next_wake() const;

  // Sequencer (engine_steps.cc).
  bool legal(const Instruction& i) const;
  void go(Cycle k, const Instruction& i);
  bool load_step();
  bool has_source(std::uint8_t source) const;
  Flow* find_flow(std::uint8_t source);
  void begin_takes(Cycle k);
  void step_over(Cycle when);
  void part_done(Cycle at);
  void end(Cycle k);
  /// When the next go or end may come; precondition: no step is active.
  Cycle step_free() const;

  // Blocks and beats (engine.cc).
  bool may_begin(unsigned lane) const;
  void begin_send(Cycle k, unsigned lane);
  bool source_ready(const Flow& f, Cycle k) const;
  Stall sinks_ready(const Flow& f, Time before) const;
  void move(Flow& f, Cycle k);
  void write_beat(unsigned channel, const Beat& beat, Cycle k);
  void send_beat(unsigned lane, const Beat& beat, Cycle k);
  const Beat& read_beat(Reader& r, unsigned channel);
  const Beat& result_beat(unsigned output);
  void load_operator();

  // Many cycles at once (engine_burst.cc).
  bool burst(Cycle to);
  Cycle burst_end(Cycle to) const;
  unsigned half_of(const PatternCursor& cursor, const PatternSpan& span, Cycle beats) const;
  void burst_read(Flow& f, Cycle k, Cycle end);
  void burst_lane(Flow& f, Cycle k, Cycle end);
  bool flow_read(Flow& f, Cycle k, Cycle end);
  bool flow_lane(Flow& f, Cycle k, Cycle end);
  void copy_read(const Flow& f, std::size_t beats);
  template <typename From>
  void pace(Flow& f, Cycle k, Cycle end, From from);
  void deliver(const Flow& f, const std::uint64_t* words, std::size_t beats, unsigned bytes);
  void burst_write(unsigned channel, const std::uint64_t* words, std::size_t beats, unsigned bytes);
  void settle(const Flow& f, Cycle k, Cycle end);
  /// `beats` have moved, the last two at these edges.
  void settle_writers(const Flow& f, Cycle k, Cycle end, std::size_t beats, Cycle last, Cycle before);

  void fault(Cycle k, Fault code, unsigned lane, std::uint64_t value);
  void fault_at(Cycle k, Fault code, unsigned lane, std::uint64_t value);
  void clear_step();
  void leave_step();

  const CollectiveParams p_;
  const Edges edges_;
  std::vector<Lane> lanes_;
  blocks::BackingStore* memory_;
  std::vector<blocks::Hbm2Channel> channels_;
  std::function<void(const ProgramEnd&)> ended_;
  fabric::TraceTrack* trace_;

  Cycle now_ = 0;
  State state_ = State::idle;
  std::vector<std::uint64_t> program_;
  std::array<Cycle, kMarks> marks_{};
  Cycle begin_ = 0, finish_ = 0;

  // Sequencer.
  unsigned pc_ = 0;
  Cycle fetch_at_ = 0;
  std::vector<Instruction> shadow_;
  bool first_step_ = true;
  bool waits_ = false;  ///< a go or end waits for the step before it

  // The step.
  unsigned step_pc_ = 0;  ///< of its go
  Cycle step_go_ = 0, step_done_ = 0;
  bool step_active_ = false;  ///< a part of it is not yet done
  bool together_ = false;
  std::uint8_t mark_ = 0xff;
  unsigned parts_ = 0;  ///< not yet done
  std::vector<Reader> readers_;
  std::vector<Writer> writers_;
  std::vector<Send> sends_;
  std::vector<Take> takes_;
  std::unique_ptr<blocks::operators::Slot> slot_;  ///< null: no operators
  std::vector<Feed> feeds_;
  std::vector<unsigned> active_feeds_;
  bool operator_active_ = false;  ///< in this step
  std::vector<Flow> flows_;
  std::vector<unsigned> active_channels_, active_takes_, step_sends_;
  unsigned unbegun_ = 0;  ///< flows, and lanes that only wait for a pulse
  Beat beat_;

  struct Pending {
    Cycle at;
    Fault code;
    unsigned lane;
    std::uint64_t value;
  };
  std::optional<Pending> pending_fault_;
  Cycle last_progress_ = 0;

  bool bursts_allowed_ = true;
  Cycle no_burst_before_ = 0;
  std::vector<Cycle> pops_, arrivals_;  ///< edges of a burst
  std::size_t popped_ = 0;
  std::uint64_t burst_cycles_ = 0;

  std::array<std::uint64_t, kStalls> stalls_{};
  std::uint64_t steps_ = 0, programs_ = 0, faults_ = 0, active_cycles_ = 0;
};

}  // namespace polyloom::collective
