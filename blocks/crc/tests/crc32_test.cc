// SPDX-License-Identifier: Apache-2.0
// Covers: check value of the standard, agreement with long division, detection of bursts up to 32 bits.
// Leaves out: the probability of undetected longer errors (2^-32 by construction).
#include "blocks/crc/sim/crc32.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string_view>

namespace polyloom::blocks {
namespace {

TEST(Crc32, CheckValueOfTheStandard) {
  Crc32 c;
  for (const char ch : std::string_view("123456789")) c.add_byte(static_cast<std::uint8_t>(ch));
  EXPECT_EQ(c.value(), 0xcbf43926u);
}

/// Long division, bit by bit, reflected as the standard sends bits.
std::uint32_t divide(std::span<const std::uint64_t> words) {
  std::uint32_t r = 0xffffffffu;
  for (const std::uint64_t w : words) {
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t bit = static_cast<std::uint32_t>(w >> i & 1) ^ (r & 1);
      r = (r >> 1) ^ (bit ? 0xedb88320u : 0);
    }
  }
  return ~r;
}

TEST(Crc32, WordsAgreeWithLongDivision) {
  std::mt19937_64 rng(3);
  for (int n = 0; n < 100; ++n) {
    std::vector<std::uint64_t> words(static_cast<std::size_t>(n % 17));
    for (auto& w : words) w = rng();
    EXPECT_EQ(crc32(words), divide(words));
  }
}

TEST(Crc32, ManyWordsAtOnceFromAnyStateAgreeWithLongDivision) {
  std::mt19937_64 rng(5);
  for (std::size_t n = 0; n < 200; ++n) {
    std::vector<std::uint64_t> words(n);
    for (auto& w : words) w = rng();
    const std::size_t first = n == 0 ? 0 : rng() % n;
    Crc32 c;
    c.add(std::span(words).first(first));
    c.add(std::span(words).subspan(first));
    EXPECT_EQ(c.value(), divide(words)) << n << " words, the first " << first << " alone";
  }
}

TEST(Crc32, DetectsEveryBurstOfUpTo32Bits) {
  std::array<std::uint64_t, 3> words{0x0123456789abcdef, 0, ~0ull};
  const std::uint32_t good = crc32(words);
  for (unsigned start = 0; start + 32 <= 192; ++start) {
    for (const std::uint32_t burst : {0x1u, 0x3u, 0x80000001u, 0xffffffffu, 0xdeadbeefu}) {
      auto bad = words;
      for (unsigned i = 0; i < 32; ++i) {
        if (burst >> i & 1) bad[(start + i) / 64] ^= 1ull << ((start + i) % 64);
      }
      EXPECT_NE(crc32(bad), good);
    }
  }
}

}  // namespace
}  // namespace polyloom::blocks
