// SPDX-License-Identifier: Apache-2.0
// What the `cause` of a fault frame means on an overlay board: faults of the core and of the network in one
// byte.
#pragma once

#include <cstdint>
#include <string>

#include "roles/overlay/arch/fault.h"
#include "roles/overlay/arch/route_fault.h"
#include "roles/overlay/arch/send_fault.h"

namespace polyloom::overlay {

/// Causes of the core are FaultCause + 1 (0 is not a cause on the wire). A message that the network refused
/// has the number of its SendFault, and the destination as value. The host sent the thread a byte before it
/// had read the one before; the new one is lost. The thread goes on, pc and value are 0.
inline constexpr std::uint8_t kConsoleFault = 0x81;
/// No fault: the thread has read the byte of the host's that it held, and can take another.
inline constexpr std::uint8_t kConsoleRead = 0x82;
/// No fault: so many flits (`value`) of the host's messages have gone on into the network, and as many may
/// follow.
inline constexpr std::uint8_t kMessageRoom = 0x88;

/// The host's messages wait on board (0,0) in a buffer of their own until the network takes them. A host has
/// no more flits under way than fit, so that what it sends behind them, console bytes and all else, never
/// waits for them. The board gives room back by kMessageRoom, so many flits at a time; the rest it keeps
/// until they are as many.
inline constexpr unsigned kHostFlits = 512, kRoomFlits = kHostFlits / 4;

inline constexpr std::uint8_t wire_cause(FaultCause cause) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(cause) + 1);
}

/// "misaligned load", "bad send: the thread sends a message without receivers (its mask is 0)": for people.
std::string wire_cause_text(std::uint8_t cause, std::uint32_t value, MeshSize mesh,
                            const BoardParams& params);

}  // namespace polyloom::overlay
