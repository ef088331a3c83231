// SPDX-License-Identifier: Apache-2.0
// Test help: binary32 operands that meet the hard cases of rounding more often than random bits do.
#pragma once

#include <cstdint>
#include <random>

namespace polyloom::overlay::fp {

class Operands {
 public:
  explicit Operands(std::uint64_t seed) : random_(seed) {}

  std::uint32_t any() {
    const auto r = static_cast<std::uint32_t>(random_());
    switch (random_() % 8) {
      case 0:
        return special(r);
      case 1:
        return (r & 0x807fffff) | (127 - 12 + (r >> 23) % 24) << 23;  // near 1: ties and cancellation
      case 2:
        return (r & 0xff800000) | (r & 7) << 20;  // few fraction bits: exact results
      case 3:
        return (r & 0xff800000) | (0x7fffff & (0u - (1u << (r & 15))));  // runs of ones
      case 4:
        return (r & 0x807fffff) | ((r >> 23) % 3) << 23;  // subnormal and just above
      case 5:
        return (r & 0x807fffff) | (252 + (r >> 23) % 3) << 23;  // close to overflow
      case 6:
        return (r & 0x807fffff) | (64 - 12 + (r >> 23) % 24) << 23;  // products close to underflow
      default:
        return r;
    }
  }
  /// Often a small step from another operand, so that sums cancel and quotients are near 1.
  std::uint32_t near(std::uint32_t a) {
    if (random_() % 4 != 0) return any();
    const std::uint32_t sign = (random_() & 1) != 0 ? 0x80000000u : 0;
    return (a + static_cast<std::uint32_t>(random_() % 9) - 4) ^ sign;
  }
  std::uint32_t integer() {
    const auto r = static_cast<std::uint32_t>(random_());
    return r >> (random_() % 32) ^ (0u - (r & 1));
  }

 private:
  static std::uint32_t special(std::uint32_t r) {
    static constexpr std::uint32_t kValues[] = {
        0x00000000, 0x00000001, 0x00000002, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000,
        0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x4b000000, 0x4b7fffff, 0x4effffff,
        0x4f000000, 0x4f7fffff, 0x4f800000, 0x7e7fffff, 0x7e800000, 0x7f000000, 0x7f7ffffe, 0x7f7fffff,
        0x7f800000, 0x7f800001, 0x7fa00000, 0x7fbfffff, 0x7fc00000, 0x7fc00001, 0x7fffffff, 0x1fffffff};
    return kValues[r % 32] | (r & 0x80000000u);
  }

  std::mt19937_64 random_;
};

}  // namespace polyloom::overlay::fp
