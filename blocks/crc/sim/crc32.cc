// SPDX-License-Identifier: Apache-2.0
#include "blocks/crc/sim/crc32.h"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace polyloom::blocks {
namespace {

// table[k][b]: effect of byte b followed by k zero bytes, so eight bytes are looked up at once.
constexpr auto make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> table{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? 0xedb88320u : 0);
    table[0][b] = c;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      table[k][b] = (table[k - 1][b] >> 8) ^ table[0][table[k - 1][b] & 0xff];
    }
  }
  return table;
}
constexpr auto kTables = make_tables();

#if defined(__x86_64__)

/// x^n modulo the polynomial, bits reflected, in the place where a carry-less product of reflected factors
/// wants it.
constexpr std::uint64_t power(unsigned n) {
  std::uint32_t r = 0x80000000u;
  for (; n != 0; --n) r = (r >> 1) ^ ((r & 1) ? 0xedb88320u : 0);
  return std::uint64_t{r} << 1;
}

/// Words whose CRC, begun with 0, is that of `words` begun with `state`. Precondition: 8 words or more; takes
/// a multiple of 8 of them.
/// How: 64 bytes are four numbers of 128 bits; each is multiplied by x^512 modulo the polynomial (its two
/// halves by x^(512+32) and x^(512-32)) and so moves onto the 64 bytes that follow.
__attribute__((target("pclmul,sse2"))) std::array<std::uint64_t, 2> fold(std::uint32_t state,
                                                                         const std::uint64_t* words,
                                                                         std::size_t count) {
  const auto load = [](const std::uint64_t* at) __attribute__((target("pclmul,sse2"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  const auto onto = [](__m128i x, __m128i by, __m128i next) __attribute__((target("pclmul,sse2"))) {
    return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(x, by, 0x00), _mm_clmulepi64_si128(x, by, 0x11)),
                         next);
  };
  constexpr auto kFour = std::array{power(512 - 32), power(512 + 32)};
  constexpr auto kOne = std::array{power(128 - 32), power(128 + 32)};
  const __m128i four = _mm_set_epi64x(static_cast<long long>(kFour[0]), static_cast<long long>(kFour[1]));
  const __m128i one = _mm_set_epi64x(static_cast<long long>(kOne[0]), static_cast<long long>(kOne[1]));
  __m128i a = _mm_xor_si128(load(words), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i b = load(words + 2), c = load(words + 4), d = load(words + 6);
  for (count -= 8, words += 8; count >= 8; count -= 8, words += 8) {
    a = onto(a, four, load(words));
    b = onto(b, four, load(words + 2));
    c = onto(c, four, load(words + 4));
    d = onto(d, four, load(words + 6));
  }
  std::array<std::uint64_t, 2> rest;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest.data()), onto(onto(onto(a, one, b), one, c), one, d));
  return rest;
}

const bool kFolds = __builtin_cpu_supports("pclmul") != 0;

#endif

}  // namespace

void Crc32::add_byte(std::uint8_t byte) { state_ = (state_ >> 8) ^ kTables[0][(state_ ^ byte) & 0xff]; }

void Crc32::add_word(std::uint64_t word) {
  const std::uint64_t x = word ^ state_;
  std::uint32_t next = 0;
  for (unsigned i = 0; i < 8; ++i) next ^= kTables[7 - i][(x >> (8 * i)) & 0xff];
  state_ = next;
}

void Crc32::add(std::span<const std::uint64_t> words) {
#if defined(__x86_64__)
  if (kFolds && words.size() >= 16) {
    const std::array<std::uint64_t, 2> rest = fold(state_, words.data(), words.size());
    state_ = 0;
    add_word(rest[0]);
    add_word(rest[1]);
    words = words.subspan(words.size() / 8 * 8);
  }
#endif
  for (const std::uint64_t w : words) add_word(w);
}

}  // namespace polyloom::blocks
