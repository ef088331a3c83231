// SPDX-License-Identifier: Apache-2.0
// Which unit of a board's network has something to do in which cycle.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// A calendar of the next kSpan cycles: one bit a unit and cycle. Asking twice costs nothing, so units may be
/// called without need; they must find out themselves what there is to do. Order of asking never matters.
class Wheel {
 public:
  static constexpr Cycle kSpan = 64;
  static constexpr unsigned kUnits = 192;
  static constexpr unsigned kWords = kUnits / 64;
  using Units = std::array<std::uint64_t, kWords>;

  /// Calls `unit` in cycle `c`, which must be in [now, now + kSpan). A cycle that has been taken is due again
  /// when a unit of it calls another one in it.
  void schedule(Cycle c, unsigned unit) {
    assert(c - now_ < kSpan);
    slots_[c % kSpan][unit / 64] |= std::uint64_t{1} << (unit % 64);
    occupied_ |= std::uint64_t{1} << (c % kSpan);
  }

  /// First cycle not before `from` with something to do; kNeverCycle if none. `from` must not go back.
  Cycle next(Cycle from) const {
    if (occupied_ == 0) return kNeverCycle;
    const std::uint64_t rotated = std::rotr(occupied_, static_cast<int>(from % kSpan));
    return from + static_cast<Cycle>(std::countr_zero(rotated));
  }

  /// Takes what is due in cycle `c`; call with cycles that never fall, never past a cycle that has something
  /// to do.
  Units take(Cycle c) {
    now_ = c;
    Units due = slots_[c % kSpan];
    slots_[c % kSpan] = {};
    occupied_ &= ~(std::uint64_t{1} << (c % kSpan));
    return due;
  }

  /// Time has come to `c` without anything to do before it.
  void skip_to(Cycle c) {
    if (c > now_) now_ = c;
  }

 private:
  std::array<Units, kSpan> slots_{};
  std::uint64_t occupied_ = 0;
  Cycle now_ = 0;
};

}  // namespace polyloom::overlay
