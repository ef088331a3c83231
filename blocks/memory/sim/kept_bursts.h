// SPDX-License-Identifier: Apache-2.0
// Which bursts a DRAM controller has in its RAM: those that were read last, one for each place. A burst's
// place is a hash of its address. Hardware: a block RAM of bursts and one of tags, read with a request's
// address before it enters the window. Not thread safe. Tests: dram_test.cc.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polyloom::blocks {

class KeptBursts {
 public:
  /// `places`: a power of two above 1, or 0: keeps nothing.
  explicit KeptBursts(std::size_t places = 0) : tags_(places, kNone) {}

  bool has(std::uint64_t burst) const { return !tags_.empty() && tags_[place(burst)] == burst; }
  void keep(std::uint64_t burst) {
    if (!tags_.empty()) tags_[place(burst)] = burst;
  }
  void drop(std::uint64_t burst) {
    if (has(burst)) tags_[place(burst)] = kNone;
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  /// All groups of bits XORed, so that arrays a power of two apart have places of their own.
  std::size_t place(std::uint64_t burst) const {
    const auto bits = static_cast<unsigned>(std::countr_zero(tags_.size()));
    std::uint64_t folded = burst;
    for (std::uint64_t rest = burst >> bits; rest != 0; rest >>= bits) folded ^= rest;
    return static_cast<std::size_t>(folded & (tags_.size() - 1));
  }

  std::vector<std::uint64_t> tags_;  ///< by place
};

}  // namespace polyloom::blocks
