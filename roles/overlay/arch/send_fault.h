// SPDX-License-Identifier: Apache-2.0
// Why the network refuses a message: the `cause` of the fault that the host is told, and its words.
#pragma once

#include <cstdint>
#include <string>

#include "roles/overlay/arch/address.h"

namespace polyloom::overlay {

/// Numbers are causes on the wire (arch/fault_codes.h), whose value is the destination; in rtl/
/// send_fault_e has their low three bits. Of several reasons the first one in Mailbox::problem_with counts.
enum class SendFault : std::uint8_t {
  none = 0,
  destination = 0x80,
  busy = 0x83,
  length = 0x84,
  no_receiver = 0x85,
  no_thread = 0x86,
  pointer = 0x87,
};

/// "sends ...": what the thread does wrong. Empty for a cause that is no SendFault.
std::string send_fault_text(SendFault fault, std::uint32_t dest, MeshSize mesh, const BoardParams& params);

}  // namespace polyloom::overlay
