// SPDX-License-Identifier: Apache-2.0
// Streams, values and a driver that the operator tests share.
#pragma once

#include <bit>
#include <deque>
#include <random>
#include <vector>

#include "blocks/operators/sim/operator.h"
#include "blocks/operators/sim/partition.h"
#include "blocks/operators/sim/reduce.h"

namespace polyloom::blocks::operators::test {

using Random = std::mt19937_64;
using Stream = std::vector<Beat>;

inline unsigned below(Random& random, unsigned n) { return static_cast<unsigned>(random() % n); }

/// fp32 of every class, often of close exponents so that sums cancel, carry and round.
inline std::uint32_t fp_bits(Random& random) {
  static constexpr std::array<std::uint32_t, 18> kCorners = {
      0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
      0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
      0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f7fffff};
  const std::uint32_t bits = static_cast<std::uint32_t>(random());
  switch (below(random, 8)) {
    case 0:
      return kCorners[below(random, kCorners.size())];
    case 1:
      return bits;  // any exponent
    case 2:
      return bits & 0x80ffffff;  // subnormal and just above
    case 3:
      return (bits & 0x80ffffff) | 0x7e000000;  // near overflow
    default:
      return (bits & 0x80000000) | (((bits >> 8 & 31) + 112) << 23) |
             (random() & 0x7fffff & (random() | random()));
  }
}

inline std::uint32_t int_bits(Random& random) {
  static constexpr std::array<std::uint32_t, 6> kCorners = {0,          1,          0xffffffff,
                                                            0x7fffffff, 0x80000000, 0x80000001};
  const std::uint32_t bits = static_cast<std::uint32_t>(random());
  return below(random, 4) == 0 ? kCorners[below(random, kCorners.size())] : bits >> below(random, 31);
}

/// A stream of `beats` beats; `bytes` of the last one count.
template <typename Value>
Stream stream(unsigned beats, unsigned bytes, Value&& value) {
  Stream result(beats);
  for (unsigned b = 0; b < beats; ++b) {
    for (std::uint32_t& word : result[b].word) word = value();
    result[b].last = b + 1 == beats;
  }
  result.back().keep = static_cast<std::uint32_t>((std::uint64_t{1} << bytes) - 1);
  return result;
}

inline std::uint64_t random_mask(Random& random, unsigned inputs) {
  return random() & (~std::uint64_t{0} >> (kMaxPorts - inputs));
}

}  // namespace polyloom::blocks::operators::test
