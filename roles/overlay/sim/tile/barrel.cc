// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/barrel.h"

namespace polyloom::overlay {

std::uint64_t Barrels::join_in_turn(unsigned core, Cycle from) {
  // Sets of threads are rotated so that the thread whose turn it is in this window is bit 0.
  const unsigned turn = static_cast<unsigned>(from / kWindow) % kMaxThreads;
  const auto rotate = [turn](std::uint32_t set) { return (set | set << kMaxThreads) >> turn & 0xffffu; };
  const std::uint16_t* answered = answered_[from % kCalendar / kWindow][core];
  std::uint32_t waiting = rotate(waiting_[core]);
  std::uint64_t joined = 0;
#pragma GCC unroll 8
  for (unsigned o = 0; o < kWindow; ++o) {
    waiting |= rotate(answered[o]);
    const unsigned thread =
        (turn + static_cast<unsigned>(std::countr_zero(waiting | 1u << kMaxThreads))) & 15u;
    const std::uint32_t some = waiting != 0;
    joined |= static_cast<std::uint64_t>(some * kAnswer | thread)
              << (8 * o);  // without kAnswer, the rest is ignored
    waiting &= waiting - 1;
  }
  waiting_[core] = std::rotl(static_cast<std::uint16_t>(waiting), static_cast<int>(turn));
  return joined;
}

}  // namespace polyloom::overlay
