// SPDX-License-Identifier: Apache-2.0
// Numbers at byte offsets, in both byte orders.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace polyloom::mpi {

template <typename T>
T get_little(std::span<const std::byte> from, std::size_t at) {
  std::make_unsigned_t<T> value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<std::make_unsigned_t<T>>(std::uint64_t{value} << 8 |
                                                 std::to_integer<unsigned>(from[at + i]));
  }
  return static_cast<T>(value);
}

template <typename T>
void put_little(std::vector<std::byte>& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> 8 * i & 0xFF));
  }
}

/// `bytes` bytes, the most significant first.
inline std::uint64_t get_big(std::span<const std::byte> from, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | std::to_integer<unsigned>(from[at + i]);
  return value;
}

inline void put_big(std::vector<std::byte>& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;) out.push_back(static_cast<std::byte>(value >> 8 * i & 0xFF));
}

}  // namespace polyloom::mpi
