// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/barrel.h"

namespace polyloom::overlay {

std::uint64_t Barrel::join_in_turn(Cycle from) {
  // Sets of threads are rotated so that the thread whose turn it is in this window is bit 0.
  const unsigned turn = static_cast<unsigned>(from / kWindow) % kMaxThreads;
  const std::uint16_t* answered = &answered_[from % kCalendar];
  std::uint32_t waiting = std::rotr(waiting_, static_cast<int>(turn));
  std::uint64_t joined = 0;
  for (unsigned o = 0; o < kWindow; ++o) {
    waiting |= std::rotr(answered[o], static_cast<int>(turn));
    const auto thread = (turn + static_cast<unsigned>(std::countr_zero(waiting))) % kMaxThreads;
    const std::uint64_t answer = waiting != 0 ? kAnswer | thread : 0;
    joined |= answer << (8 * o);
    waiting &= waiting - 1;
  }
  waiting_ = std::rotl(static_cast<std::uint16_t>(waiting), static_cast<int>(turn));
  return joined;
}

}  // namespace polyloom::overlay
