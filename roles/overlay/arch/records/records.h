// SPDX-License-Identifier: Apache-2.0
// Routing keys and records as the board's routers read them from memory (Multicast paper IV.B; layouts:
// records.py).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "roles/overlay/arch/records/record_fields.h"

namespace polyloom::overlay::records {

/// A key names `beats` beats of a slice's memory from byte `address` on, a multiple of kBeatBytes. One with
/// no beats stands for no receivers.
struct Key {
  unsigned slice = 0;
  std::uint32_t address = 0;
  unsigned beats = 0;

  static Key of(std::uint32_t word) {
    return {word >> key::kSlice.low, word & 0x7fffffffu & ~std::uint32_t{kBeatBytes - 1}, word & kMostBeats};
  }
  std::uint32_t word() const { return (slice << key::kSlice.low) | address | beats; }
};

/// Fields that the tag does not have mean nothing.
struct Record {
  Tag tag = Tag::thread;
  unsigned tile_x = 0, tile_y = 0;
  unsigned index = 0;       ///< thread in its tile
  std::uint64_t words = 0;  ///< what replaces the first word, the first two, or the low half of the first
  std::uint64_t mask = 0;   ///< of threads in their tile
  Direction direction = Direction::north;
  std::uint32_t key = 0;
};

using Bits = unsigned __int128;

inline std::uint64_t get(Bits bits, Field field) {
  return static_cast<std::uint64_t>(bits >> field.low) &
         (field.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.width) - 1);
}
inline void put(Bits& bits, Field field, std::uint64_t value) {
  if (field.width < 64) value &= (std::uint64_t{1} << field.width) - 1;
  bits |= Bits{value} << field.low;
}

/// The record in the low chunks(tag) * kChunkBits bits.
inline Bits encode(const Record& r) {
  Bits bits = 0;
  const auto tile_in = [&](Field x, Field x_high, Field y, Field y_high) {
    put(bits, x, r.tile_x), put(bits, x_high, r.tile_x >> 2);
    put(bits, y, r.tile_y), put(bits, y_high, r.tile_y >> 2);
  };
  const auto tag = static_cast<std::uint64_t>(r.tag);
  switch (r.tag) {
    case Tag::thread:
      put(bits, thread::kTag, tag), put(bits, thread::kIndex, r.index), put(bits, thread::kWord, r.words);
      tile_in(thread::kTileX, thread::kTileXHigh, thread::kTileY, thread::kTileYHigh);
      break;
    case Tag::thread_two:
      put(bits, thread_two::kTag, tag), put(bits, thread_two::kIndex, r.index);
      put(bits, thread_two::kWords, r.words);
      tile_in(thread_two::kTileX, thread_two::kTileXHigh, thread_two::kTileY, thread_two::kTileYHigh);
      break;
    case Tag::router:
      put(bits, router::kTag, tag), put(bits, router::kKey, r.key);
      put(bits, router::kDirection, static_cast<std::uint64_t>(r.direction));
      break;
    case Tag::tile:
      put(bits, tile::kTag, tag), put(bits, tile::kHalf, r.words), put(bits, tile::kMask, r.mask);
      tile_in(tile::kTileX, tile::kTileXHigh, tile::kTileY, tile::kTileYHigh);
      break;
    case Tag::indirection:
      put(bits, indirection::kTag, tag), put(bits, indirection::kKey, r.key);
      break;
  }
  return bits;
}

/// Nothing if the tag is none.
inline std::optional<Record> decode(unsigned tag, Bits bits) {
  if (tag > static_cast<unsigned>(Tag::indirection)) return std::nullopt;
  Record r;
  r.tag = static_cast<Tag>(tag);
  const auto tile_of = [&](Field x, Field x_high, Field y, Field y_high) {
    r.tile_x = static_cast<unsigned>(get(bits, x) | (get(bits, x_high) << 2));
    r.tile_y = static_cast<unsigned>(get(bits, y) | (get(bits, y_high) << 2));
  };
  switch (r.tag) {
    case Tag::thread:
      r.index = static_cast<unsigned>(get(bits, thread::kIndex)), r.words = get(bits, thread::kWord);
      tile_of(thread::kTileX, thread::kTileXHigh, thread::kTileY, thread::kTileYHigh);
      break;
    case Tag::thread_two:
      r.index = static_cast<unsigned>(get(bits, thread_two::kIndex)), r.words = get(bits, thread_two::kWords);
      tile_of(thread_two::kTileX, thread_two::kTileXHigh, thread_two::kTileY, thread_two::kTileYHigh);
      break;
    case Tag::router:
      r.direction = static_cast<Direction>(get(bits, router::kDirection));
      r.key = static_cast<std::uint32_t>(get(bits, router::kKey));
      break;
    case Tag::tile:
      r.words = get(bits, tile::kHalf), r.mask = get(bits, tile::kMask);
      tile_of(tile::kTileX, tile::kTileXHigh, tile::kTileY, tile::kTileYHigh);
      break;
    case Tag::indirection:
      r.key = static_cast<std::uint32_t>(get(bits, indirection::kKey));
      break;
  }
  return r;
}

using Beat = std::array<std::uint8_t, kBeatBytes>;

/// Packs records into beats: the first record of a beat lies in its highest chunk, and the number of records
/// above it.
class BeatWriter {
 public:
  void add(const Record& record) {
    const unsigned needed = chunks(record.tag);
    if (left_ < needed) {
      beats_.emplace_back(), beats_.back().fill(0);
      left_ = kChunks;
    }
    const Bits bits = encode(record);
    Beat& beat = beats_.back();
    left_ -= needed;
    std::memcpy(beat.data() + left_ * kChunkBits / 8, &bits, needed * kChunkBits / 8);
    ++beat[kCountByte];
  }
  const std::vector<Beat>& beats() const { return beats_; }
  void clear() { beats_.clear(), left_ = 0; }

 private:
  std::vector<Beat> beats_;
  unsigned left_ = 0;  ///< chunks of the last beat
};

/// The records of a beat, one after the other.
class BeatReader {
 public:
  explicit BeatReader(const Beat& beat) : beat_(beat) {
    std::memcpy(&left_, beat.data() + kCountByte, sizeof left_);
  }
  unsigned left() const { return left_; }
  /// The upper 32 bits of what next() reads, 0 behind the last chunk: for people, if it makes no sense.
  std::uint32_t head() const {
    std::uint32_t bits = 0;
    if (chunk_ != 0) std::memcpy(&bits, beat_.data() + chunk_ * kChunkBits / 8 - sizeof bits, sizeof bits);
    return bits;
  }
  /// The next one; nothing if there is none that makes sense: no more, a tag that is none, no room for it.
  std::optional<Record> next() {
    if (left_ == 0 || chunk_ == 0) return std::nullopt;
    const unsigned tag = beat_[chunk_ * kChunkBits / 8 - 1] >> 5;
    const unsigned needed = 1 + (tag & 1);
    if (needed > chunk_) return std::nullopt;
    Bits bits = 0;
    chunk_ -= needed;
    std::memcpy(&bits, beat_.data() + chunk_ * kChunkBits / 8, needed * kChunkBits / 8);
    --left_;
    return decode(tag, bits);
  }

 private:
  Beat beat_;
  std::uint16_t left_;
  unsigned chunk_ = kChunks;
};

}  // namespace polyloom::overlay::records
