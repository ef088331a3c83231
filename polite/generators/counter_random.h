// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of (seed, counter): the same for any number of threads and any order of
// drawing.
#pragma once

#include <cstdint>

namespace polyloom::polite {

/// Draws number i of the stream `seed`. The mixing function is that of SplitMix64 (Steele, Lea, Flood 2014),
/// applied twice so that neighbouring seeds and counters are unrelated.
class CounterRandom {
 public:
  explicit constexpr CounterRandom(std::uint64_t seed) : key_(mix(seed + 0x9e3779b97f4a7c15ull)) {}

  constexpr std::uint64_t bits(std::uint64_t i) const { return mix(key_ ^ mix(i + 0x9e3779b97f4a7c15ull)); }
  /// Uniform in [0, n), n >= 1 (bias below 2^-32 for n < 2^32).
  constexpr std::uint64_t below(std::uint64_t i, std::uint64_t n) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits(i)) * n) >> 64);
  }
  /// Uniform in [0, 1), 53 bits.
  constexpr double unit(std::uint64_t i) const { return static_cast<double>(bits(i) >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t key_;
};

}  // namespace polyloom::polite
