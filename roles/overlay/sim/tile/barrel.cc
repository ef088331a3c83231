// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/barrel.h"

namespace polyloom::overlay {

void Barrel::clash(unsigned at, unsigned thread) {
  more_answers_[at] = static_cast<std::uint16_t>(more_answers_[at] | 1u << thread);
  clash_windows_ = static_cast<std::uint8_t>(clash_windows_ | 1u << (at / kWindow));
}

std::uint64_t Barrel::resumed_in_turn(Cycle from, std::uint64_t answers) {
  std::uint32_t waiting = waiting_;
  std::uint64_t joined = 0;
  for (unsigned o = 0; o < kWindow; ++o) {
    const unsigned at = (from + o) % kCalendar;
    const unsigned answer = byte_of(answers, o);
    if (answer != 0) waiting |= 1u << (answer & 15u);
    waiting |= more_answers_[at];
    more_answers_[at] = 0;
    if (waiting == 0) continue;
    const std::uint32_t from_turn = waiting & (~std::uint32_t{0} << ((from + o) % kMaxThreads));
    const auto thread = static_cast<unsigned>(std::countr_zero(from_turn != 0 ? from_turn : waiting));
    waiting &= ~(1u << thread);
    joined |= static_cast<std::uint64_t>(kAnswer | thread) << (8 * o);
  }
  waiting_ = static_cast<std::uint16_t>(waiting);
  clash_windows_ = static_cast<std::uint8_t>(clash_windows_ & ~(1u << (from % kCalendar / kWindow)));
  return joined;
}

}  // namespace polyloom::overlay
