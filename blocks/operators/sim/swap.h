// SPDX-License-Identifier: Apache-2.0
// Swap: output o repeats input o with the bytes of each word of 32 bits in the other order
// (rtl/polyloom_op_swap.sv).
// Configuration: word 0 (no other is known); the mask of output o names input o. Beats hold whole words.
// Status: [0] errors, [1] beats that came. Latency: 2 cycles. Tests: operators_rtl_test.cc.
#pragma once

#include <bit>

#include "blocks/operators/sim/operator.h"

namespace polyloom::blocks::operators {

class Swap : public Operator {
 public:
  Swap(unsigned inputs, unsigned outputs) : Operator(inputs, outputs, 2, 2) {}

 protected:
  bool advance() override {
    for (std::uint64_t left = in_valid(); left != 0; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(std::countr_zero(left));
      if ((used_ >> i & 1) == 0) error(kErrorStray);
      if (((used_ & out_room()) >> i & 1) == 0) continue;
      Beat beat = in(i);
      for (std::uint32_t& word : beat.word) word = __builtin_bswap32(word);
      emit(i) = beat;
      take(std::uint64_t{1} << i);
      ++status_words()[1];
    }
    return false;
  }
  void configure(std::span<const Config> configs) override {
    drop();
    for (unsigned o = 0; o < configs.size(); ++o) {
      if (!configs[o].valid) continue;
      const std::uint64_t mask = std::uint64_t{1} << o;
      if (configs[o].mask == mask && configs[o].word == 0)
        used_ |= mask;
      else
        error(kErrorConfig);
    }
  }
  void drop() override { used_ = 0; }
  bool busy() const override { return false; }

 private:
  std::uint64_t used_ = 0;
};

}  // namespace polyloom::blocks::operators
