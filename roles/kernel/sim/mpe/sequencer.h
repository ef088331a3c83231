// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_sequencer as C++: the same program (program.inc), an instruction a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace polyloom::kernel::mpe {

// Numbers of polyloom_mpe_isa_pkg, in its order.
enum Output : std::uint8_t {
  O_NONE,
  O_TX_LOW,
  O_FLAGS,
  O_TX_HIGH,
  O_TX_END,
  O_MAC,
  O_PORT_MAC,
  O_IP,
  O_BYTES,
  O_READ_AT,
  O_READ,
  O_WRITE_AT,
  O_WRITE,
  O_ANSWER,
  O_ACK_TIMER,
  O_TICK_TIMER,
  O_NO_ACK,
  O_NO_TICK,
  O_CONTROL,
  O_JOB,
  O_RANK,
  O_EAGER,
  O_HEAD_DONE,
  O_POP_WORD,
  O_POP_COMMAND,
  O_COUNT,
  O_COUNTER,
  O_TOLD
};
enum Input : std::uint8_t {
  I_JOB,
  I_WORD_LOW = 8,
  I_WORD_HIGH,
  I_COMMAND_LOW,
  I_COMMAND_HIGH,
  I_CYCLE_LOW,
  I_CYCLE_HIGH,
  I_COUNTER_LOW,
  I_COUNTER_HIGH,
  I_MAC,
  I_PORT_MAC,
  I_IP,
  I_STATUS,
  I_EVENT
};
enum Condition : std::uint8_t {
  NEVER,
  ALWAYS,
  ZERO_RESULT,
  NOT_ZERO,
  NO_BORROW,
  BORROW,
  NEGATIVE,
  NOT_NEGATIVE,
  CALL,
  RETURN,
  CASE,
  NO_COMMAND,
  ANSWER_WAITS,
  NO_WORD,
  LAST_WORD,
  WRITER_FULL
};

class Sequencer {
 public:
  Sequencer();

  /// What the instruction at hand puts out: known before its inputs are.
  Output output() const { return at_->output; }
  /// It reads that input; its number is meaningful if reads_input().
  bool reads_input() const { return at_->from == kFromInput; }
  Input input() const { return static_cast<Input>(at_->b); }
  /// It waits for an event.
  bool rests() const { return at_->cond == CASE && reads_input() && at_->b == I_EVENT; }

  /// Executes it. `outside`: bit n is true if condition NO_COMMAND + n is. Returns the result.
  std::uint32_t step(std::uint32_t input, unsigned outside);

 private:
  static constexpr std::uint8_t kFromInput = 3;
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

}  // namespace polyloom::kernel::mpe
