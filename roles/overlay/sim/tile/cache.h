// SPDX-License-Identifier: Apache-2.0
// One thread's partition of a data cache: tags, pseudo-LRU and the lines themselves.
//
// Private to its thread and without time, so running ahead may decide hits exactly; misses, write-backs and
// their timing are the tile's (data_cache.h). Write-back, write-allocate, set-associative, tree pseudo-LRU.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// Copies a line without a call, as lines are short. `bytes` is a multiple of 16.
inline void copy_line(std::uint8_t* to, const std::uint8_t* from, unsigned bytes) {
  for (unsigned at = 0; at < bytes; at += 16) std::memcpy(to + at, from + at, 16);
}

/// Shape of every partition of a tile's cache, and the pseudo-LRU tables that follow from it.
struct CacheShape {
  static constexpr unsigned kMaxWays = 16;
  static constexpr unsigned kMaxLines = 64;  ///< lines of a thread
  static constexpr unsigned kMaxSets = 16;

  explicit CacheShape(const BoardParams& params);  ///< throws UserError

  unsigned ways, sets, line_bytes;
  unsigned way_shift, line_shift;  ///< base-2 logarithms
  std::uint32_t set_mask, line_mask;
  // Tree of ways-1 bits, node 1 = root, children of i are 2i and 2i+1; a set bit says that the victim lies to
  // the right. Using a way points every node on its path away from it.
  struct alignas(8) Slot {
    std::uint16_t keep, point;  ///< the tree's bits that using this slot keeps, and sets
    std::uint16_t offset;       ///< of the line in the partition's data
    std::uint8_t set, slot;
  };
  std::array<Slot, kMaxLines> slots{};

  unsigned set_of(std::uint32_t addr) const { return (addr >> line_shift) & set_mask; }
  unsigned victim_way(std::uint16_t tree) const {
    unsigned node = 1;
    while (node < ways) node = 2 * node + ((tree >> node) & 1u);
    return node - ways;
  }
};

/// In order of use: a thousand of them do not fit a host's cache.
struct CachePartition {
  static constexpr unsigned kRecent = 16;
  static constexpr unsigned kNoLine = CacheShape::kMaxLines;
  static constexpr std::uint32_t kEmpty = 1;  ///< no address of a line

  std::uint8_t* data;  ///< kMaxLines lines
  const CacheShape* shape;
  std::uint32_t line_mask;  ///< shape's
  // The line last used of those whose address has the same bits 8:5: its address or kEmpty, and its slot.
  std::uint8_t recent_slots[kRecent];
  std::uint32_t recent_tags[kRecent];
  std::uint64_t dirty, valid;  ///< bit per slot
  std::uint64_t lately;        ///< slots of the lines last used
  std::uint16_t trees[CacheShape::kMaxSets];
  std::uint32_t tags[CacheShape::kMaxLines];  ///< address of the line in slot set*ways+way, or kEmpty

  void clear() {
    std::fill(std::begin(tags), std::end(tags), kEmpty);
    std::fill(std::begin(recent_tags), std::end(recent_tags), kEmpty);
    dirty = valid = lately = 0;
  }

  /// The slot of the line that holds `addr`, a multiple of `align`, if that is the one last used of its kind;
  /// or null.
  [[gnu::always_inline]] const CacheShape::Slot* find_recent(std::uint32_t addr, unsigned align) const {
    const unsigned r = addr / 32 % kRecent;
    return recent_tags[r] == (addr & (line_mask | (align - 1))) ? &shape->slots[recent_slots[r]] : nullptr;
  }
  /// Makes the line that holds `addr`, a multiple of `align`, the one last used of its kind. False if there
  /// is none.
  bool search(std::uint32_t addr, unsigned align) {
    if ((addr & (align - 1)) != 0) return false;
    const std::uint32_t tag = addr & line_mask;
    const unsigned first = shape->set_of(addr) << shape->way_shift;
    const unsigned way = way_of(&tags[first], tag);
    if (way >= shape->ways) return false;
    const unsigned r = addr / 32 % kRecent, slot = first + way;
    if (recent_tags[r] != kEmpty) lately &= ~(std::uint64_t{1} << recent_slots[r]);
    lately |= std::uint64_t{1} << slot;
    recent_tags[r] = tag;
    recent_slots[r] = static_cast<std::uint8_t>(slot);
    return true;
  }

  /// Slot of the line that holds `addr`, a multiple of `align`, or kNoLine.
  unsigned find(std::uint32_t addr, unsigned align) {
    return search(addr, align) ? find_recent(addr, align)->slot : kNoLine;
  }

  /// Marks a slot as used: it becomes the last of its set to be evicted.
  [[gnu::always_inline]] void touch(const CacheShape::Slot& s) {
    std::uint16_t& tree = trees[s.set];
    tree = static_cast<std::uint16_t>((tree & s.keep) | s.point);
  }
  void touch(unsigned slot) { touch(shape->slots[slot]); }

  /// Slot that the next miss on `addr` replaces.
  unsigned victim(std::uint32_t addr) const {
    const unsigned set = shape->set_of(addr);
    return (set << shape->way_shift) + shape->victim_way(trees[set]);
  }

  /// Where the byte at `addr` of a line lies.
  [[gnu::always_inline]] std::uint8_t* byte(const CacheShape::Slot& s, std::uint32_t addr) const {
    return data + s.offset + (addr & ~line_mask);
  }
  /// The aligned word that holds `addr`, and a store of 1, 2 or 4 bytes (makes the line dirty).
  std::uint32_t word(unsigned slot, std::uint32_t addr) const {
    std::uint32_t w;
    std::memcpy(&w, byte(shape->slots[slot], addr & ~3u), sizeof w);
    return w;
  }
  void store(unsigned slot, std::uint32_t addr, std::uint32_t value, unsigned bytes) {
    std::memcpy(byte(shape->slots[slot], addr), &value, bytes);
    set_dirty(slot);
  }

  std::uint8_t* line(unsigned slot) { return data + shape->slots[slot].offset; }
  bool is_dirty(unsigned slot) const { return (dirty >> slot) & 1; }
  void set_dirty(unsigned slot) { dirty |= std::uint64_t{1} << slot; }
  void drop(unsigned slot) {
    for (std::uint32_t at = 0; at < shape->line_bytes; at += 32) {
      std::uint32_t& recent = recent_tags[(tags[slot] + at) / 32 % kRecent];
      if (recent == tags[slot]) recent = kEmpty;
    }
    lately &= ~(std::uint64_t{1} << slot);
    tags[slot] = kEmpty;
    valid &= ~(std::uint64_t{1} << slot);
    dirty &= ~(std::uint64_t{1} << slot);
  }
  void fill(unsigned slot, std::uint32_t addr, const std::uint8_t* bytes) {
    drop(slot);
    tags[slot] = addr & line_mask;
    valid |= std::uint64_t{1} << slot;
    copy_line(line(slot), bytes, shape->line_bytes);
  }

 private:
  /// First way that holds `tag`, or one of another set.
  unsigned way_of(const std::uint32_t* set, std::uint32_t tag) const {
#ifdef __SSE2__
    if (shape->ways == 16) {
      const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag));
      const auto equal = [&](unsigned at) {
        return _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(set + at)), wanted);
      };
      const __m128i words =
          _mm_packs_epi16(_mm_packs_epi32(equal(0), equal(4)), _mm_packs_epi32(equal(8), equal(12)));
      return static_cast<unsigned>(
          std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(words)) | 1u << 16));
    }
#endif
    unsigned way = 0;
    while (way < shape->ways && set[way] != tag) ++way;
    return way;
  }
};

}  // namespace polyloom::overlay
