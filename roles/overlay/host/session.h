// SPDX-License-Identifier: Apache-2.0
// What HostLink and DebugLink share besides the core: opening it from the environment, and the way errors
// end.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "roles/overlay/host/console.h"
#include "roles/overlay/host/core.h"

namespace polyloom::overlay {

/// Boxes that a program asks for; 0 = what HOSTLINK_BOXES_X and HOSTLINK_BOXES_Y say, or the whole cluster.
struct BoxRequest {
  std::uint32_t x = 0, y = 0;
  bool extra_send_slot = false;
};

/// One opened cluster.
struct Session {
  std::unique_ptr<HostCore> core;
  unsigned boards_x = 0, boards_y = 0;  ///< in use
  unsigned boxes_x = 0, boxes_y = 0;
  ConsoleLines lines;
};

/// Without a backend: the one that POLYLOOM_ON asks for. Throws UserError.
std::unique_ptr<Session> open_session(const BoxRequest& request, std::unique_ptr<HostBackend> backend);

/// Memory slices of the boards of the session that was opened last; 1 where there is none, which every board
/// has.
unsigned slices_of_last_session();

/// Prints what the console still holds and "polyloom: message" to stderr, leaves the cluster, exits with the
/// status of the error (fabric/guarded.h).
[[noreturn]] void fail(std::unique_ptr<Session>& session, const std::exception_ptr& error);

}  // namespace polyloom::overlay
