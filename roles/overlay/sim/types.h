// SPDX-License-Identifier: Apache-2.0
// Words that every part of the overlay's fast model uses.
#pragma once

#include <cstdint>

#include "roles/overlay/arch/board_params.h"

namespace polyloom::overlay {

/// Cycles of the board's core clock since reset.
using Cycle = std::uint64_t;
inline constexpr Cycle kNeverCycle = ~Cycle{0};

/// A board advances in windows of this many cycles: the depth of the core pipeline, so a thread issues at
/// most one instruction in a window, and the response of a unit in a window is seen by cores in a later one.
inline constexpr Cycle kWindow = 8;

}  // namespace polyloom::overlay
