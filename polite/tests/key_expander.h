// SPDX-License-Identifier: Apache-2.0
// What routers make of a message by key, from the bytes of their tables: a decoder of its own, written from
// docs/sources/tinsel.md, 1.4 and 3.5 (keys, beats, records) and the order of ways (X first, then Y, never
// back).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace polyloom::polite {

class KeyExpander {
 public:
  using Beat = std::array<std::uint8_t, 32>;
  using Message = std::array<std::uint32_t, 16>;
  /// Beat of a slice of board (x,y).
  using Read = std::function<Beat(unsigned x, unsigned y, unsigned slice, std::uint32_t address)>;
  /// A copy for the threads in `mask` of a tile of board (x,y).
  using Deliver = std::function<void(unsigned x, unsigned y, unsigned tile_x, unsigned tile_y,
                                     std::uint64_t mask, const Message&)>;

  KeyExpander(unsigned boards_x, unsigned boards_y, Read read)
      : boards_x_(boards_x), boards_y_(boards_y), read_(std::move(read)) {}

  /// Of a message from a thread of board (x,y). Throws std::runtime_error if a table is wrong.
  void expand(unsigned x, unsigned y, std::uint32_t key, const Message& message, const Deliver& deliver) {
    on_board(x, y, key, message, kNoLink, deliver);
  }
  std::uint64_t links = 0;  ///< that messages have passed
  std::uint64_t beats = 0;  ///< that were read

 private:
  enum Direction : unsigned { north, south, east, west, kNoLink };

  static void require(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(std::string("routing table: ") + what);
  }

  void on_board(unsigned x, unsigned y, std::uint32_t key, const Message& message, unsigned came,
                const Deliver& deliver) {
    for (unsigned chain = 0; key != 0; ++chain) {
      require(chain < 10, "indirections without end");
      std::uint32_t then = 0;
      require((key & 31) != 0 && (key & 31) != 31, "a key of 0 or 31 beats");
      for (unsigned b = 0; b < (key & 31); ++b) {
        const Beat beat = read_(x, y, key >> 31, (key & 0x7fffffe0) + 32 * b);
        ++beats;
        unsigned chunk = 5;  // not read yet
        const unsigned count = beat[30] | beat[31] << 8;
        require(count >= 1 && count <= 5, "a beat without records, or with too many");
        for (unsigned n = 0; n < count; ++n) {
          require(then == 0, "a record behind an indirection");
          const std::uint64_t first = take(beat, chunk);
          const unsigned tag = static_cast<unsigned>(first >> 45);
          const unsigned tile_y = first >> 43 & 3, tile_x = first >> 41 & 3;
          Message copy = message;
          if (tag == 0) {
            copy[0] = static_cast<std::uint32_t>(first);
            deliver(x, y, tile_x, tile_y, std::uint64_t{1} << (first >> 35 & 63), copy);
          } else if (tag == 2) {
            leave(x, y, first >> 43 & 3, static_cast<std::uint32_t>(first), message, came, deliver);
          } else if (tag == 3) {
            copy[0] = (copy[0] & 0xffff0000u) | (first >> 16 & 0xffff);
            deliver(x, y, tile_x, tile_y, (first & 0xffff) << 48 | take(beat, chunk), copy);
          } else {
            require(tag == 4, "a record that the mapper does not make");
            then = static_cast<std::uint32_t>(first);
          }
        }
      }
      key = then;
    }
  }
  static std::uint64_t take(const Beat& beat, unsigned& chunk) {
    require(chunk != 0, "a record that its beat has no room for");
    --chunk;
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 6; ++i) bits |= std::uint64_t{beat[6 * chunk + i]} << (8 * i);
    return bits;
  }
  void leave(unsigned x, unsigned y, unsigned direction, std::uint32_t key, const Message& message,
             unsigned came, const Deliver& deliver) {
    require(came == kNoLink || direction == came || (came >= east && direction <= south),
            "a way back, or from Y to X");
    x += (direction == east) - (direction == west);
    y += (direction == north) - (direction == south);
    require(x < boards_x_ && y < boards_y_, "a way to no board");
    ++links;
    on_board(x, y, key, message, direction, deliver);
  }

  unsigned boards_x_, boards_y_;
  Read read_;
};

}  // namespace polyloom::polite
