// SPDX-License-Identifier: Apache-2.0
// Cycles of a board's core clock, as blocks count them.
#pragma once

#include <cstdint>

namespace polyloom::blocks {

using Cycle = std::uint64_t;
inline constexpr Cycle kNeverCycle = ~Cycle{0};

}  // namespace polyloom::blocks
