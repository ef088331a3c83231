// SPDX-License-Identifier: Apache-2.0
// CRC-32 of IEEE 802.3 over 64-bit words, each taken as eight bytes, least significant first.
//
// Hardware: a 64-bit parallel XOR network, one word a cycle. Check value of "123456789": 0xcbf43926.
#pragma once

#include <cstdint>
#include <span>

namespace polyloom::blocks {

class Crc32 {
 public:
  void add_byte(std::uint8_t byte);
  void add_word(std::uint64_t word);
  /// As add_word() for each; fast from some tens of words on.
  void add(std::span<const std::uint64_t> words);
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = 0xffffffffu;
};

inline std::uint32_t crc32(std::span<const std::uint64_t> words) {
  Crc32 c;
  c.add(words);
  return c.value();
}

}  // namespace polyloom::blocks
