// SPDX-License-Identifier: Apache-2.0
// What the `cause` of a fault frame means on an overlay board: faults of the core and of the network in one
// byte.
#pragma once

#include <cstdint>
#include <string>

#include "roles/overlay/sim/isa/fault.h"

namespace polyloom::overlay {

/// Causes of the core are FaultCause + 1 (0 is not a cause on the wire); kNetFault is a message that the
/// network refused, with the destination as value.
inline constexpr std::uint8_t kNetFault = 0x80;
/// The host sent the thread a byte before it had read the one before; the new one is lost. The thread goes
/// on, pc and value are 0.
inline constexpr std::uint8_t kConsoleFault = 0x81;
/// No fault: the thread has read the byte of the host's that it held, and can take another.
inline constexpr std::uint8_t kConsoleRead = 0x82;
inline constexpr std::uint8_t wire_cause(FaultCause cause) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(cause) + 1);
}

/// "misaligned load", "sends a message that the network refuses": for people.
std::string wire_cause_text(std::uint8_t cause);

}  // namespace polyloom::overlay
