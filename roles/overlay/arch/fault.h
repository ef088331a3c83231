// SPDX-License-Identifier: Apache-2.0
// Why a thread stops. The published hardware has no traps; here a fault ends the run with thread, pc and
// cause.
#pragma once

#include <cstdint>

namespace polyloom::overlay {

/// Numbers are those of the RISC-V privileged architecture (mcause), so tools may show them as they are.
enum class FaultCause : std::uint8_t {
  misaligned_jump = 0,      ///< value = target; the jump wrote no register
  bad_fetch = 1,            ///< value = pc: outside the instruction memory
  illegal_instruction = 2,  ///< value = the word; also a reserved dynamic rounding mode
  breakpoint = 3,           ///< ebreak; value = pc
  misaligned_load = 4,      ///< value = address
  bad_load = 5,             ///< value = address: nothing there
  misaligned_store = 6,     ///< value = address
  bad_store = 7,            ///< value = address
  environment_call = 11,    ///< ecall; value = a7
};

struct Fault {
  FaultCause cause;
  std::uint32_t pc;     ///< of the instruction that faulted; nothing of it has taken effect
  std::uint32_t value;  ///< by cause
  bool operator==(const Fault&) const = default;
};

/// "misaligned load", "illegal instruction", ...: for messages.
const char* fault_name(FaultCause cause);

}  // namespace polyloom::overlay
