// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/arch/fault.h"

namespace polyloom::overlay {

const char* fault_name(FaultCause cause) {
  switch (cause) {
    case FaultCause::misaligned_jump:
      return "jump to an address that is not a multiple of 4";
    case FaultCause::bad_fetch:
      return "instruction fetch outside the instruction memory";
    case FaultCause::illegal_instruction:
      return "illegal instruction";
    case FaultCause::breakpoint:
      return "ebreak";
    case FaultCause::misaligned_load:
      return "misaligned load";
    case FaultCause::bad_load:
      return "load from an address where nothing is";
    case FaultCause::misaligned_store:
      return "misaligned store";
    case FaultCause::bad_store:
      return "store to an address where nothing is";
    case FaultCause::environment_call:
      return "ecall";
  }
  return "unknown cause";
}

}  // namespace polyloom::overlay
