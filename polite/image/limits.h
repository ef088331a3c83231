// SPDX-License-Identifier: Apache-2.0
// What of a thread's memories is not for tables.
#pragma once

#include <cstdint>

namespace polyloom::polite {

/// Kept free at the end of a thread's memories: SRAM as in POLite; DRAM holds the stack
/// (docs/sources/tinsel.md, 5.4).
inline constexpr std::uint64_t kSramReserve = 2 * 1024;
inline constexpr std::uint64_t kDramReserve = 64 * 1024;

}  // namespace polyloom::polite
