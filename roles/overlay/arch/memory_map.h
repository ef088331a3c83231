// SPDX-License-Identifier: Apache-2.0
// Which memory an address of a thread is in (spec/memory_map.py).
#pragma once

#include <cstdint>

#include "spec/memory_map.h"

namespace polyloom::overlay {

/// Which memory a thread-view address falls in.
enum class Region : std::uint8_t { unmapped, scratchpad, sram_a, sram_b, dram };

inline constexpr std::uint32_t kSlotBytes = 64;

/// Region of an address. 0x0000..0x7fff is not mapped (the published decoder aliases it to the scratchpad): a
/// null pointer is a fault.
constexpr Region region_of(std::uint32_t addr) {
  if (addr >= kInterleavedBase) return Region::dram;
  if (addr >= kDramEnd) return Region::unmapped;
  if (addr >= kDramBase) return Region::dram;
  if (addr >= kSramBBase) return Region::sram_b;
  if (addr >= kSramABase) return Region::sram_a;
  return addr >= kScratchpadBase && addr < kScratchpadEnd ? Region::scratchpad : Region::unmapped;
}

/// Scratchpad address as a thread sees it, from the mailbox's.
constexpr std::uint32_t scratchpad_address(std::uint32_t addr) {
  return (addr & (kScratchpadBase - 1)) | kScratchpadBase;
}

}  // namespace polyloom::overlay
