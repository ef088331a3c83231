// SPDX-License-Identifier: Apache-2.0
// The bytes of a board's off-chip memories, seen through the 32-bit map of a thread (docs/sources/tinsel.md,
// 1.3).
//
// A board has `dram_channels` slices; a slice is one DRAM of 2 GiB and two SRAMs of 8 MiB. Threads of a tile
// see one slice. No timing here (memory_system.h) and no caches: this is what the host and the other boards'
// DMA see.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roles/overlay/arch/memory_map.h"
#include "roles/overlay/sim/tile/arena.h"
#include "roles/overlay/sim/tile_ports.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// The mailbox's address of the slot that a thread's pointer names, SendRequest::kNoSlot if it names none.
constexpr std::uint32_t slot_address(std::uint32_t pointer) {
  const bool is_slot = region_of(pointer) == Region::scratchpad && pointer % kSlotBytes == 0;
  return is_slot ? pointer - kScratchpadBase : SendRequest::kNoSlot;
}

class Memory {
 public:
  explicit Memory(const BoardParams& params);

  unsigned slices() const { return static_cast<unsigned>(slices_.size()); }

  /// Copies bytes out of or into a slice at thread-view addresses, line by line through the interleaved view
  /// where the range lies in it. Throws UserError if a byte of the range is not in a memory.
  void read(unsigned slice, std::uint32_t addr, void* out, std::size_t bytes) const;
  void write(unsigned slice, std::uint32_t addr, const void* in, std::size_t bytes);

  /// Whole lines, for the timing model. `addr` is line-aligned and in SRAM or DRAM. What line() gives is good
  /// until the next write.
  const std::uint8_t* line(unsigned slice, std::uint32_t addr) const;
  void write_line(unsigned slice, std::uint32_t addr, const std::uint8_t* in);

  /// The address with the interleaved view undone: where the line really lies.
  std::uint32_t physical(std::uint32_t addr) const;

  /// Tells the host that the line at a physical address will be used soon. No effect on the bytes, so the
  /// compiler (GCC 12) drops its calls unless they are inlined.
  [[gnu::always_inline]] void prefetch(unsigned slice, std::uint32_t where) const {
    if (const std::uint8_t* p = page(slice, where)) __builtin_prefetch(p + (where & (kPageBytes - 1)));
  }

  unsigned line_bytes() const { return line_bytes_; }
  /// Bytes of host memory that the touched pages take.
  std::size_t resident_bytes() const;
  /// Hash over all touched pages (zero pages count as untouched).
  std::uint64_t digest() const;

 private:
  static constexpr unsigned kPageShift = 14;
  static constexpr std::size_t kPageBytes = std::size_t{1} << kPageShift;
  struct Slice {
    std::span<std::uint8_t*> pages;  ///< of addresses 0 .. 2^31-1
  };

  const std::uint8_t* page(unsigned slice, std::uint32_t where) const {
    return slices_[slice].pages[where >> kPageShift];
  }
  std::uint8_t* page_for_write(unsigned slice, std::uint32_t physical);
  void check_range(std::uint32_t addr, std::size_t bytes) const;
  /// Bytes from `addr` to the end of its line or page, whichever is contiguous, at most `bytes`.
  std::size_t contiguous(std::uint32_t addr, std::size_t bytes) const;

  unsigned line_bytes_;
  unsigned line_shift_;
  std::vector<Slice> slices_;
  Arena arena_;
};

}  // namespace polyloom::overlay
