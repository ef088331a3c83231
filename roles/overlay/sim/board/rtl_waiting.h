// SPDX-License-Identifier: Apache-2.0
// What the threads of a board in RTL wait for, and which of them blocks which, in words.
#pragma once

#include <string>

#include "blocks/verilated/rtl_model.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// Read from the output state_threads_o: {can receive, can send, waits by WaitBits}, each a bit a thread, by
/// tile.
std::string rtl_waiting_for(const BoardParams& board, const blocks::RtlModel& model);

}  // namespace polyloom::overlay
