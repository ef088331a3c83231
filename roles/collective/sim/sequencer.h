// SPDX-License-Identifier: Apache-2.0
// The sequencer of a collective node: reads the program, an instruction a cycle, into the shadow registers of
// the next step.
//
// Owns: the program memory, the program counter, the shadow registers.
// Contract: clock() once an edge while a program runs. It says what the engine must do: a go or an end comes
//   when the step before it is over; an instruction that this node cannot have is refused, and the counter
//   stays at it.
// Thread safety: none; embedded in an engine. Tests: ../tests/engine_test.cc, fault_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roles/collective/sim/ports.h"
#include "roles/collective/sim/running_step.h"

namespace polyloom::collective {

class Sequencer {
 public:
  enum class Does : std::uint8_t { nothing, reads, go, end, refuses };
  struct Edge {
    Does does;
    Instruction instruction;    ///< of go and refuses
    unsigned pc = 0;            ///< of the instruction
    std::uint64_t refused = 0;  ///< what a fault says of it
  };

  Sequencer(const CollectiveParams& params, const Ports& ports, const RunningStep& step)
      : p_(params), ports_(ports), step_(step) {
    program_.resize(std::size_t{p_.program_size} * kInstructionWords);
  }

  std::vector<std::uint64_t>& program() { return program_; }
  bool has(std::uint64_t index) const { return index < p_.program_size; }
  /// The program at `index` begins in cycle c.
  void start(Cycle c, unsigned index);
  Edge clock(Cycle k);
  /// What the go that clock() said has made active.
  std::span<const Instruction> shadow() const { return shadow_; }
  /// The step of the shadow registers is loaded.
  void loaded() {
    first_step_ = false;
    shadow_.clear();
  }
  void leave() {
    waits_ = false;
    shadow_.clear();
  }

  /// A go or end waits for the step before it.
  bool waits() const { return waits_; }
  /// The first edge from `now` on at which clock() does something.
  Cycle next(Cycle now) const;
  unsigned pc() const { return pc_; }

 private:
  bool legal(const Instruction& i) const;
  bool has_source(std::uint8_t source) const;
  /// When the next go or end may come; precondition: no step is active.
  Cycle step_free() const {
    return first_step_ ? fetch_at_ : step_.done_edge() + p_.timing.done_to_go + p_.step_cycles;
  }

  const CollectiveParams& p_;
  const Ports& ports_;
  const RunningStep& step_;
  std::vector<std::uint64_t> program_;
  unsigned pc_ = 0;
  Cycle fetch_at_ = 0;
  std::vector<Instruction> shadow_;
  bool first_step_ = true;
  bool waits_ = false;
};

}  // namespace polyloom::collective
