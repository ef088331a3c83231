// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/arch/fault_codes.h"

#include <cstdio>

namespace polyloom::overlay {
namespace {

/// What a compiler's flags, or a privileged program, bring in most often.
std::string why_illegal(std::uint32_t word) {
  if ((word & 3) != 3 && word != 0) return " (compressed? build with -march=rv32imf)";
  char text[32] = "";
  const bool is_csr_instruction = (word & 0x7f) == 0x73 && (word >> 12 & 3) != 0;
  if (is_csr_instruction) std::snprintf(text, sizeof text, " (there is no CSR 0x%03x)", word >> 20);
  return text;
}

}  // namespace

std::string wire_cause_text(std::uint8_t cause, std::uint32_t value, MeshSize mesh,
                            const BoardParams& params) {
  if (const std::string sends = send_fault_text(static_cast<SendFault>(cause), value, mesh, params);
      !sends.empty()) {
    return "bad send: the thread " + sends;
  }
  if (cause == kConsoleFault) return "a byte of the host's came before the one before had been read";
  if (cause == kConsoleRead) return "no fault: a byte of the host's has been read";
  if (cause == kMessageRoom) return "no fault: there is room for messages of the host's";
  if (cause == 0) return "no fault";
  const auto of_core = static_cast<FaultCause>(cause - 1);
  return fault_name(of_core) + (of_core == FaultCause::illegal_instruction ? why_illegal(value) : "");
}

}  // namespace polyloom::overlay
