// SPDX-License-Identifier: Apache-2.0
// What a memory holds before it is written, in simulation.
#pragma once

#include <cstdint>

namespace polyloom::blocks {

/// Word `index` of 32 bits. Not zero, so that no program comes to rely on it, and the same in the model and
/// in RTL (blocks/ram/rtl/polyloom_ram_2rw_be.sv), so that one that does is wrong alike.
constexpr std::uint32_t memory_noise(std::uint32_t index) {
  std::uint32_t x = (index + 1) * 0x9e3779b9u;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  return x ^ x >> 13;
}

}  // namespace polyloom::blocks
