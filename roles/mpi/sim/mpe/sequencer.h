// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_sequencer as C++: the same program (program.inc), an instruction a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "roles/mpi/sim/mpe/program.h"

namespace polyloom::mpi::mpe {

class Sequencer {
 public:
  Sequencer();

  /// What the instruction at hand puts out: known before its inputs are.
  Output output() const { return at_->output; }
  /// It reads that input; its number is meaningful if reads_input().
  bool reads_input() const { return at_->from == FROM_INPUT; }
  Input input() const { return static_cast<Input>(at_->b); }
  /// It waits for an event.
  bool rests() const { return at_->cond == CASE && reads_input() && at_->b == I_EVENT; }

  /// Executes it. `outside`: bit n is true if condition NO_COMMAND + n is. Returns the result.
  std::uint32_t step(std::uint32_t input, unsigned outside);

 private:
  struct Instruction {
    std::uint8_t cond, op, a, from, b, part, access, offset, d;
    bool by_pointer, write;
    Output output;
    std::uint16_t to, number;
  };
  static std::vector<Instruction> decode();

  const std::vector<Instruction>& text_;
  const Instruction* at_;
  std::array<std::uint32_t, 32> registers_{};
  std::vector<std::uint32_t> data_;
  std::uint32_t loaded_ = 0, address_mask_;
  std::array<const Instruction*, 8> calls_{};
  unsigned depth_ = 0;
};

}  // namespace polyloom::mpi::mpe
