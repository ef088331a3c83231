// SPDX-License-Identifier: Apache-2.0
#include "blocks/operators/sim/pass.h"

#include <algorithm>
#include <bit>

namespace polyloom::blocks::operators {

bool Pass::advance() {
  for (std::uint64_t left = in_valid(); left != 0; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    if (takers_[i] == 0) error(kErrorStray);
    if (takers_[i] == 0 || (takers_[i] & ~out_room()) != 0) continue;
    for (std::uint64_t outs = takers_[i]; outs != 0; outs &= outs - 1) {
      emit(static_cast<unsigned>(std::countr_zero(outs))) = in(i);
    }
    take(std::uint64_t{1} << i);
    ++status_words()[1];
  }
  return false;
}

void Pass::configure(std::span<const Config> configs) {
  drop();
  for (unsigned o = 0; o < configs.size(); ++o) {
    if (!configs[o].valid) continue;
    const std::uint64_t mask = configs[o].mask;
    if (std::has_single_bit(mask) && configs[o].word == 0) {
      takers_[static_cast<unsigned>(std::countr_zero(mask))] |= std::uint64_t{1} << o;
    } else {
      error(kErrorConfig);
    }
  }
}

void Pass::drop() { std::ranges::fill(takers_, 0); }

}  // namespace polyloom::blocks::operators
