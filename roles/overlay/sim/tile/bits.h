// SPDX-License-Identifier: Apache-2.0
// Bit tricks of the timing engine: eight cycles of a window as the eight bytes of a word.
#pragma once

#include <cstdint>

namespace polyloom::overlay {

inline constexpr std::uint64_t kBytesOfOne = 0x0101010101010101ull;

/// Bit o of `bits` becomes byte o, 0 or 1.
constexpr std::uint64_t spread_bits(std::uint32_t bits) {
  const std::uint64_t each = ((bits & 0xffu) * kBytesOfOne) & 0x8040201008040201ull;
  return ((each + 0x7f7f7f7f7f7f7f7full) >> 7) & kBytesOfOne;
}

[[gnu::always_inline]] constexpr unsigned byte_of(std::uint64_t word, unsigned o) {
  return static_cast<unsigned>(word >> (8 * o)) & 0xffu;
}

/// Set bits of a byte.
constexpr unsigned count_bits(std::uint32_t byte) {
  byte = byte - ((byte >> 1) & 0x55u);
  byte = (byte & 0x33u) + ((byte >> 2) & 0x33u);
  return (byte + (byte >> 4)) & 0xfu;
}

/// Packs the nibbles of `word` whose nibble in `mask` is 15 (the others: 0) to the low end.
constexpr std::uint64_t pack_nibbles(std::uint64_t word, std::uint64_t mask) {
  std::uint64_t packed = 0;
  unsigned at = 0;
  for (unsigned i = 0; i < 64; i += 4) {
    const std::uint64_t keep = (mask >> i) & 15u;
    packed |= ((word >> i) & keep) << at;
    at = (at + static_cast<unsigned>(keep & 4u)) & 63;  // sixteen kept: nothing follows
  }
  return packed;
}

/// The reverse: nibbles from the low end of `word` to where `mask` has a nibble 15.
constexpr std::uint64_t unpack_nibbles(std::uint64_t word, std::uint64_t mask) {
  std::uint64_t unpacked = 0;
  for (unsigned i = 0; i < 64; i += 4) {
    if (((mask >> i) & 15u) == 0) continue;
    unpacked |= (word & 15u) << i;
    word >>= 4;
  }
  return unpacked;
}

/// Byte 0xff where the bytes of two words are equal, else 0.
constexpr std::uint64_t equal_bytes(std::uint64_t a, std::uint64_t b) {
  std::uint64_t equal = 0;
  for (unsigned i = 0; i < 64; i += 8) equal |= std::uint64_t{((a ^ b) >> i & 0xffu) == 0 ? 0xffu : 0u} << i;
  return equal;
}

/// Bit k tells whether byte k of `counts` (each below 128) is not zero.
constexpr unsigned set_of(std::uint32_t counts) {
  // Partial products of the multiplication do not collide.
  return ((((counts + 0x7f7f7f7fu) >> 7) & 0x01010101u) * 0x01020408u) >> 24 & 15u;
}

/// Two bytes of `requests` have a bit in common.
constexpr bool collide(std::uint32_t requests) {
  const std::uint32_t a = requests & 0xffffu, b = requests >> 16;
  const std::uint32_t some = a | b;
  return ((a & b) | ((some >> 8) & some & 0xffu)) != 0;
}

}  // namespace polyloom::overlay
