// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "fabric/error.h"
#include "fabric/node.h"
#include "roles/overlay/sim/tile/cache.h"

namespace polyloom::overlay {
namespace {

constexpr unsigned kPartitionBits = 9;  ///< the interleaved view spreads 512 partitions
constexpr unsigned kViewBits = 30;      ///< over 1 GiB

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

Memory::Memory(const BoardParams& params)
    : line_bytes_(params.line_bytes),
      line_shift_(static_cast<unsigned>(std::countr_zero(params.line_bytes))) {
  if (!std::has_single_bit(params.line_bytes) || params.line_bytes < 16 || params.line_bytes > 128) {
    throw UserError("overlay: line_bytes is " + std::to_string(params.line_bytes) +
                    "; a cache line is 16, 32, 64 or 128 bytes");
  }
  slices_.resize(params.dram_channels);
  for (Slice& s : slices_) s.pages = arena_.take_array<std::uint8_t*>(kDramEnd >> kPageShift);
}

std::uint32_t Memory::physical(std::uint32_t addr) const {
  if (addr < kInterleavedBase) return addr;
  const unsigned offset_bits = kViewBits - kPartitionBits - line_shift_;
  const std::uint32_t line = (addr & ((1u << kViewBits) - 1)) >> line_shift_;
  const std::uint32_t offset = line & ((1u << offset_bits) - 1);
  const std::uint32_t partition = line >> offset_bits;
  const std::uint32_t moved = offset << kPartitionBits | partition;
  return 0x40000000u | moved << line_shift_ | (addr & (line_bytes_ - 1));
}

std::uint8_t* Memory::page_for_write(unsigned slice, std::uint32_t physical) {
  auto& p = slices_[slice].pages[physical >> kPageShift];
  if (p == nullptr) p = static_cast<std::uint8_t*>(arena_.take(kPageBytes));
  return p;
}

void Memory::check_range(std::uint32_t addr, std::size_t bytes) const {
  if (bytes == 0) return;
  const std::uint64_t last = std::uint64_t{addr} + bytes - 1;
  const bool inside =
      addr >= kInterleavedBase ? last <= 0xffffffffull : addr >= kSramABase && last < kDramEnd;
  if (!inside) {
    throw UserError(
        "overlay: " + std::to_string(bytes) + " bytes at " + hex(addr) +
        " are not all in SRAM (0x00800000..0x017fffff) or DRAM (0x01800000..0x7fffffff, interleaved view "
        "0xc0000000..0xffffffff)");
  }
}

std::size_t Memory::contiguous(std::uint32_t addr, std::size_t bytes) const {
  const std::size_t unit = addr >= kInterleavedBase ? line_bytes_ : kPageBytes;
  return std::min(bytes, unit - (addr & (unit - 1)));
}

void Memory::read(unsigned slice, std::uint32_t addr, void* out, std::size_t bytes) const {
  check_range(addr, bytes);
  auto* to = static_cast<std::uint8_t*>(out);
  while (bytes != 0) {
    const std::size_t n = contiguous(addr, bytes);
    const std::uint32_t where = physical(addr);
    if (const std::uint8_t* p = page(slice, where)) {
      std::memcpy(to, p + (where & (kPageBytes - 1)), n);
    } else {
      std::memset(to, 0, n);
    }
    to += n;
    addr += static_cast<std::uint32_t>(n);
    bytes -= n;
  }
}

void Memory::write(unsigned slice, std::uint32_t addr, const void* in, std::size_t bytes) {
  check_range(addr, bytes);
  const auto* from = static_cast<const std::uint8_t*>(in);
  while (bytes != 0) {
    const std::size_t n = contiguous(addr, bytes);
    const std::uint32_t where = physical(addr);
    std::memcpy(page_for_write(slice, where) + (where & (kPageBytes - 1)), from, n);
    from += n;
    addr += static_cast<std::uint32_t>(n);
    bytes -= n;
  }
}

const std::uint8_t* Memory::line(unsigned slice, std::uint32_t addr) const {
  static constexpr std::array<std::uint8_t, 128> kZeros{};
  const std::uint32_t where = physical(addr);
  const std::uint8_t* p = page(slice, where);
  return p != nullptr ? p + (where & (kPageBytes - 1)) : kZeros.data();
}

void Memory::write_line(unsigned slice, std::uint32_t addr, const std::uint8_t* in) {
  const std::uint32_t where = physical(addr);
  copy_line(page_for_write(slice, where) + (where & (kPageBytes - 1)), in, line_bytes_);
}

std::size_t Memory::resident_bytes() const {
  std::size_t pages = 0;
  for (const Slice& s : slices_) {
    pages += static_cast<std::size_t>(
        std::count_if(s.pages.begin(), s.pages.end(), [](const auto& p) { return p != nullptr; }));
  }
  return pages * kPageBytes;
}

std::uint64_t Memory::digest() const {
  fabric::Digest d;
  for (const Slice& s : slices_) {
    for (std::size_t i = 0; i < s.pages.size(); ++i) {
      if (!s.pages[i]) continue;
      // One word per page goes into the byte-wise hash: a page is folded by a cheap multiply-and-rotate
      // first.
      std::uint64_t folded = 0, word = 0, any = 0;
      for (std::size_t at = 0; at < kPageBytes; at += sizeof word) {
        std::memcpy(&word, s.pages[i] + at, sizeof word);
        any |= word;
        folded = (std::rotl(folded, 5) ^ word) * 0x9e3779b97f4a7c15ull;
      }
      if (any == 0) continue;
      d.add(i);
      d.add(folded);
    }
  }
  return d.value();
}

}  // namespace polyloom::overlay
