// SPDX-License-Identifier: Apache-2.0
#include "blocks/crc/sim/crc32.h"

#include <array>

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

}  // namespace

void Crc32::add_byte(std::uint8_t byte) { state_ = (state_ >> 8) ^ kTables[0][(state_ ^ byte) & 0xff]; }

void Crc32::add_word(std::uint64_t word) {
  const std::uint64_t x = word ^ state_;
  std::uint32_t next = 0;
  for (unsigned i = 0; i < 8; ++i) next ^= kTables[7 - i][(x >> (8 * i)) & 0xff];
  state_ = next;
}

}  // namespace polyloom::blocks
