// SPDX-License-Identifier: Apache-2.0
// Simulated time: integer picoseconds, and clocks whose edges fall on it (docs/design.md, section 2.1).
#pragma once

#include <cstdint>
#include <limits>

namespace polyloom::fabric {

/// Simulated time in picoseconds since the start of the run. Never the wall clock.
using Time = std::int64_t;
inline constexpr Time kNever = std::numeric_limits<Time>::max();
inline constexpr Time kPicosPerSecond = 1'000'000'000'000;

/// A clock of `hz` hertz: edge k is at floor(k * 10^12 / hz) ps. Value type, no state.
class Clock {
 public:
  explicit constexpr Clock(std::uint64_t hz)
      : hz_(hz), period_(hz != 0 && kPicosPerSecond % hz == 0 ? kPicosPerSecond / hz : 0) {}

  constexpr std::uint64_t hz() const { return hz_; }

  /// Time of edge k.
  constexpr Time edge(std::uint64_t k) const {
    if (period_ != 0) return static_cast<Time>(k * period_);
    return static_cast<Time>(static_cast<unsigned __int128>(k) * kPicosPerSecond / hz_);
  }

  /// Index of the first edge not before t (t >= 0): where something arriving at t is seen.
  constexpr std::uint64_t first_edge_from(Time t) const {
    if (t <= 0) return 0;
    if (period_ != 0) return (static_cast<std::uint64_t>(t) + period_ - 1) / period_;
    // floor(k * 10^12 / hz) >= t  <=>  k * 10^12 >= t * hz
    const auto product = static_cast<unsigned __int128>(t) * hz_;
    return static_cast<std::uint64_t>((product + kPicosPerSecond - 1) / kPicosPerSecond);
  }

 private:
  std::uint64_t hz_, period_;  ///< in ps; 0 if that is no whole number, and slower to compute with
};

}  // namespace polyloom::fabric
