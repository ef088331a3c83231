// SPDX-License-Identifier: Apache-2.0
// The engine of a collective node, cycle by cycle: joins sequencer, step, ports and switch.
//
// How: run(to) steps edge by edge through everything that moves, in the order wire, sequencer, begin of
//   blocks, memory, switch; what one of them does at edge k the others see at k + 1 or later, as registers
//   do. When nothing moves it goes on at the next edge at which something can (an arrival, a due latency), so
//   waiting costs nothing. Latencies: timing.h, README.md "Order of events".
// Owns: whether a program runs, and what only the whole node knows: faults, the watchdog, programs' begin and
//   end. Parts: sequencer.h (instructions), running_step.h (what is not yet done), ports.h (lane_port.h,
//   channel_port.h, operator_port.h), switch.h (beats from port to port), burst.h (many cycles at once).
// Moving: a beat goes in one copy from the memory or receive buffer to the wire or memory it is for, at the
//   edge at which the switch moves it; FIFOs behind that are counted, not held. A program that reads what the
//   same step writes may therefore see other bytes than the RTL.
// Faults: the first stops the node: lanes end their frames and say abort, the host gets an event.
// Thread safety: none; embedded in a node. Tests: roles/collective/tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fabric/trace.h"
#include "roles/collective/sim/burst.h"
#include "roles/collective/sim/params.h"
#include "roles/collective/sim/ports.h"
#include "roles/collective/sim/running_step.h"
#include "roles/collective/sim/sequencer.h"
#include "roles/collective/sim/switch.h"

namespace polyloom::collective {

/// How a program ended: what becomes the event frame.
struct ProgramEnd {
  std::uint8_t code = 0;  ///< 0 or Fault
  std::uint16_t instruction = 0;
  std::uint8_t lane = kNoLane;
  Cycle begin = 0, finish = 0;
  std::uint64_t value = 0;
};

class Engine {
 public:
  enum class State : std::uint8_t { idle = 0, running = 1, stopped = 2 };

  /// `memory` is null if contents are not stored. `ended` is called when a program ends or the node stops.
  Engine(const CollectiveParams& params, const std::vector<blocks::WireEnds>& lanes,
         blocks::BackingStore* memory, std::function<void(const ProgramEnd&)> ended,
         fabric::TraceTrack* trace);
  Engine(const Engine&) = delete;  // its parts refer to each other
  Engine& operator=(const Engine&) = delete;

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
  Cycle mark(unsigned i) const { return step_.mark(i); }
  std::uint64_t operator_status(unsigned word) const { return ports_.slot.status(word); }
  /// Register value: valid[31] node[23:8] port[7:0].
  std::uint32_t peer(unsigned lane) const { return ports_.lanes[lane].in.peer(); }
  unsigned lanes() const { return static_cast<unsigned>(ports_.lanes.size()); }
  std::vector<std::uint64_t>& program() { return sequencer_.program(); }
  /// Off: every edge is stepped, with the same result (burst.h). For tests.
  void allow_bursts(bool allowed) { burst_.allow(allowed); }
  std::uint64_t burst_cycles() const { return burst_cycles_; }
  /// Calls another function at programs' ends (tests, which have no host).
  void listen(std::function<void(const ProgramEnd&)> ended) { ended_ = std::move(ended); }

  std::string waiting_for() const;
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void reset_counters();
  void digest(fabric::Digest& d) const;

 private:
  Cycle burst(Cycle to);
  bool cycle(Cycle k);
  bool step_edge(Cycle k);
  bool arrivals(Cycle k);
  bool sequence(Cycle k);
  void go(Cycle k, const Sequencer::Edge& edge);
  bool memories(Cycle k);
  bool finish_accepts(Cycle k);
  bool watch(Cycle k);
  Cycle next_wake() const;

  void end(Cycle k, unsigned pc);
  bool stop_if_faulty(Cycle k);
  void stop(Cycle k, Fault code, unsigned lane, std::uint64_t value);

  const CollectiveParams p_;
  const Edges edges_;
  std::function<void(const ProgramEnd&)> ended_;
  fabric::TraceTrack* trace_;

  RunningStep step_;
  Ports ports_;
  Sequencer sequencer_;
  Switch switch_;
  Burst burst_;

  Cycle now_ = 0;
  State state_ = State::idle;
  Cycle begin_ = 0, finish_ = 0;
  std::uint64_t burst_cycles_ = 0;
  std::uint64_t steps_ = 0, programs_ = 0, faults_ = 0, active_cycles_ = 0;
};

}  // namespace polyloom::collective
