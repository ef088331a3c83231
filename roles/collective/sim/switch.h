// SPDX-License-Identifier: Apache-2.0
// The switch of a collective node: each source of a step (R#, a lane's buffer, an output of the operator)
// copies its beats to the sinks that picked it.
//
// Owns: the streams of the step (flows), which of them have begun, and how many cycles each cause held one
// up. Contract: load() makes the flows of a step; of an edge, begin_blocks() lets those begin whose lanes
// may,
//   then move_beats() moves a beat of each whose source has one and whose sinks can accept it. A beat moves
//   in one copy from the source to all sinks; what stands in registers is counted by the ports.
// Thread safety: none; embedded in an engine. Tests: ../tests/engine_test.cc, random_test.cc, swap_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "roles/collective/sim/ports.h"
#include "roles/collective/sim/running_step.h"

namespace polyloom::collective {

class Switch {
 public:
  /// Why a source's beat did not move in a cycle.
  enum Stall : std::uint8_t { kNone, kBegin, kSource, kWire, kMemory, kOperator, kStalls };

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

  Switch(const CollectiveParams& params, Ports& ports, RunningStep& step)
      : p_(params), ports_(ports), step_(step) {}

  // ---- the step
  void clear_step() {
    flows_.clear();
    unbegun_ = 0;
  }
  /// Makes the flows of a step and loads the ports; false if its instructions do not fit together.
  bool load(std::span<const Instruction> step);
  /// After go: ready pulses, and what waits in the buffers.
  void begin_accepts(Cycle k);

  // ---- an edge; true if anything changed
  bool begin_blocks(Cycle k);
  /// `before`: the time of the edge before.
  bool move_beats(Cycle k, Time before);
  /// All that the operator's outputs have for the step was moved.
  bool results_moved() const;
  /// The first edge from `now` on at which a flow may begin or move.
  Cycle next(Cycle now) const;

  // ---- for bursts
  std::span<Flow> flows() { return flows_; }
  void count(Stall why, std::uint64_t cycles) { stalls_[why] += cycles; }
  /// Nothing changes in so many cycles, so what waited in the last one waits in those too.
  void wait(std::uint64_t cycles) {
    for (const Flow& f : flows_) {
      if (!f.finished) stalls_[f.stall] += cycles;
    }
  }

  // ---- reports
  void waiting(const std::function<void(const std::string&)>& add) const;
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void reset_counters() { stalls_ = {}; }
  void digest(fabric::Digest& d) const {
    for (unsigned s = kBegin; s < kStalls; ++s) d.add(stalls_[s]);
  }

 private:
  Flow* find(std::uint8_t source);
  bool may_begin(const Flow& f, bool open) const;
  bool source_ready(const Flow& f, Cycle k) const;
  Stall sinks_ready(const Flow& f, Time before) const;
  void move(Flow& f, Cycle k);

  const CollectiveParams& p_;
  Ports& ports_;
  RunningStep& step_;
  std::vector<Flow> flows_;
  unsigned unbegun_ = 0;  ///< flows, and lanes that only wait for a pulse
  Beat beat_;
  std::array<std::uint64_t, kStalls> stalls_{};
};

}  // namespace polyloom::collective
