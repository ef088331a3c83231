// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/fault_codes.h"

namespace polyloom::overlay {

std::string wire_cause_text(std::uint8_t cause) {
  if (cause == kNetFault) return "bad send";
  if (cause == kConsoleFault) return "a byte of the host's came before the one before had been read";
  if (cause == kConsoleRead) return "no fault: a byte of the host's has been read";
  return cause == 0 ? "no fault" : fault_name(static_cast<FaultCause>(cause - 1));
}

}  // namespace polyloom::overlay
