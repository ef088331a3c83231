// SPDX-License-Identifier: Apache-2.0
// Made by roles/overlay/arch/records/records.py; do not edit.
#pragma once

#include <cstdint>

namespace polyloom::overlay::records {

/// Bits [low, low + width) of a key or a record.
struct Field {
  unsigned low, width;
};

inline constexpr unsigned kBeatBytes = 32;
inline constexpr unsigned kChunkBits = 48, kChunks = 5;
/// The number of a beat's records lies in its last two bytes.
inline constexpr unsigned kCountByte = 30;
inline constexpr unsigned kMostBeats = 31;  ///< of a key

enum class Tag : std::uint8_t { thread = 0, thread_two = 1, router = 2, tile = 3, indirection = 4 };
enum class Direction : std::uint8_t { north = 0, south = 1, east = 2, west = 3 };
inline constexpr unsigned chunks(Tag tag) { return 1 + (static_cast<unsigned>(tag) & 1); }

/// A routing key.
namespace key {
inline constexpr Field kSlice{31, 1};
inline constexpr Field kBeat{5, 26};
inline constexpr Field kBeats{0, 5};
}  // namespace key

/// URM1: to a thread of this board; replaces the first word of the payload.
namespace thread {
inline constexpr Field kTag{45, 3};
inline constexpr Field kTileY{43, 2};
inline constexpr Field kTileX{41, 2};
inline constexpr Field kIndex{35, 6};
inline constexpr Field kTileYHigh{34, 1};
inline constexpr Field kTileXHigh{33, 1};
inline constexpr Field kWord{0, 32};
}  // namespace thread

/// URM2: the same; replaces the first two words, the lower half first.
namespace thread_two {
inline constexpr Field kTag{93, 3};
inline constexpr Field kTileY{91, 2};
inline constexpr Field kTileX{89, 2};
inline constexpr Field kIndex{83, 6};
inline constexpr Field kTileYHigh{82, 1};
inline constexpr Field kTileXHigh{81, 1};
inline constexpr Field kWords{0, 64};
}  // namespace thread_two

/// RR: to the board behind a link, with another key.
namespace router {
inline constexpr Field kTag{45, 3};
inline constexpr Field kDirection{43, 2};
inline constexpr Field kKey{0, 32};
}  // namespace router

/// MRM: to the threads in `mask` of a tile of this board; replaces the low half of the first word.
namespace tile {
inline constexpr Field kTag{93, 3};
inline constexpr Field kTileY{91, 2};
inline constexpr Field kTileX{89, 2};
inline constexpr Field kTileYHigh{88, 1};
inline constexpr Field kTileXHigh{87, 1};
inline constexpr Field kHalf{64, 16};
inline constexpr Field kMask{0, 64};
}  // namespace tile

/// IND: when all of this key is done, this board goes on with another key. At most one a key.
namespace indirection {
inline constexpr Field kTag{45, 3};
inline constexpr Field kKey{0, 32};
}  // namespace indirection

}  // namespace polyloom::overlay::records
