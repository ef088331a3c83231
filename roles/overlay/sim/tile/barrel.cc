// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/barrel.h"

namespace polyloom::overlay {

void Barrel::clash(unsigned at, unsigned thread) {
  more_answers_[at] = static_cast<std::uint16_t>(more_answers_[at] | 1u << thread);
  clash_windows_ = static_cast<std::uint8_t>(clash_windows_ | 1u << (at / kWindow));
}

std::uint64_t Barrel::resumed_in_turn(Cycle from, std::uint64_t answers) {
  // Sets of threads are rotated so that the thread whose turn it is in this window is bit 0.
  const unsigned turn = static_cast<unsigned>(from / kWindow) % kMaxThreads;
  const auto rotate = [turn](std::uint32_t set) { return (set | set << kMaxThreads) >> turn & 0xffffu; };
  const std::uint16_t* more = &more_answers_[from % kCalendar];
  std::uint32_t waiting = rotate(waiting_);
  std::uint64_t joined = 0;
  for (unsigned o = 0; o < kWindow; ++o) {
    const unsigned answer = byte_of(answers, o);
    waiting |= rotate((answer >> 7) << (answer & 15u) | more[o]);
    const unsigned thread =
        (turn + static_cast<unsigned>(std::countr_zero(waiting | 1u << 16))) % kMaxThreads;
    const unsigned some = waiting != 0;
    waiting &= waiting - 1;
    joined |= static_cast<std::uint64_t>((kAnswer | thread) * some) << (8 * o);
  }
  waiting_ = static_cast<std::uint16_t>((waiting << turn | waiting << turn >> kMaxThreads) & 0xffffu);
  std::memset(&more_answers_[from % kCalendar], 0, kWindow * sizeof(std::uint16_t));
  clash_windows_ = static_cast<std::uint8_t>(clash_windows_ & ~(1u << (from % kCalendar / kWindow)));
  return joined;
}

}  // namespace polyloom::overlay
