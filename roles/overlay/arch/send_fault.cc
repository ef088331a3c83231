// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/arch/send_fault.h"

namespace polyloom::overlay {

std::string send_fault_text(SendFault fault, std::uint32_t dest, MeshSize mesh, const BoardParams& params) {
  switch (fault) {
    case SendFault::none:
      break;
    case SendFault::destination: {
      BoardParams without = params;  // a key that was refused was refused for this
      without.programmable_routers = false;
      return AddressLayout(params).problem_with(dest, mesh, without);
    }
    case SendFault::busy:
      return "sends while its previous message has not left (check tinselCanSend)";
    case SendFault::length:
      return "sends a message that is too long: one has 1 to " + std::to_string(params.max_flits) +
             " flits (tinselSetLen takes flits - 1)";
    case SendFault::no_receiver:
      return "sends a message without receivers (its mask is 0)";
    case SendFault::no_thread:
      return "sends a message to a thread that does not exist (its mask has bits from " +
             std::to_string(params.threads_per_tile()) + " on)";
    case SendFault::pointer:
      return "sends from a pointer outside the scratchpad or inside a slot (use tinselSendSlot, or a message "
             "received)";
  }
  return {};
}

}  // namespace polyloom::overlay
