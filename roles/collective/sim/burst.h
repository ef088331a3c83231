// SPDX-License-Identifier: Apache-2.0
// Many cycles at once: while the streams of a step just flow, the edges at which their beats move follow
//   from the memory's first beat, the arrivals that are known and the pace of the wires; bytes then move in
//   pieces.
//
// Owns: nothing of the node; the edges of the burst that it computes, and the edge before which it does not
//   try again.
// When: a step is active, nothing but whole beats inside of blocks arrives, no stream begins or ends, none
//   passes the operator, no channel serves a read and a write in the same half, no receive buffer can run
//   over, and the watchdog cannot fire: up to the first edge at which one of these may change. Then streams
//   do not see each other, and each is computed alone.
// Contract: run() leaves the state that stepping would have left at that edge: departures, arrivals,
// counters,
//   stalls, the times at which what was asked of a memory comes.
// Thread safety: none; embedded in an engine. Tests: ../tests/burst_test.cc runs every random program both
//   ways.
#pragma once

#include <cstdint>
#include <vector>

#include "roles/collective/sim/ports.h"
#include "roles/collective/sim/running_step.h"
#include "roles/collective/sim/switch.h"

namespace polyloom::collective {

class Burst {
 public:
  Burst(const CollectiveParams& params, const Edges& edges, Ports& ports, Switch& streams, RunningStep& step)
      : p_(params), edges_(edges), ports_(ports), switch_(streams), step_(step) {}

  /// The edges from k on up to `to` at most; how many, 0: they are to be stepped. Preconditions: the step is
  /// active, no fault was found, and the sequencer waits for the step. A `watchdog` of 0 never fires.
  Cycle run(Cycle k, Cycle to, std::uint64_t watchdog);
  void allow(bool allowed) { allowed_ = allowed; }

 private:
  using Flow = Switch::Flow;
  using Sink = Switch::Sink;

  Cycle end_of(Cycle k, Cycle to, std::uint64_t watchdog);
  Cycle flows_until(Cycle k, Cycle end);
  void accept_unread(Cycle k, Cycle end, std::uint64_t read);

  // Beat by beat.
  void step_read(Flow& f, Cycle k, Cycle end);
  void step_lane(Flow& f, Cycle k, Cycle end);
  template <typename From>
  void pace(Flow& f, Cycle k, Cycle end, From from);

  // Closed forms of streams at the pace of their wire; false: this one is not.
  bool flow_read(Flow& f, Cycle k, Cycle end);
  bool flow_lane(Flow& f, Cycle k, Cycle end);

  void copy_read(const Flow& f, std::size_t beats);
  void deliver(const Flow& f, const std::uint64_t* words, std::size_t beats, unsigned bytes);
  void settle(const Flow& f, Cycle k, Cycle end);
  void settle(const Flow& f, Cycle k, Cycle end, std::size_t beats, Cycle last, Cycle before);

  const CollectiveParams& p_;
  const Edges& edges_;
  Ports& ports_;
  Switch& switch_;
  RunningStep& step_;
  bool allowed_ = true;
  Cycle not_before_ = 0;
  std::vector<Cycle> pops_, arrivals_;  ///< edges of the stream that is computed
  std::size_t popped_ = 0;
};

}  // namespace polyloom::collective
