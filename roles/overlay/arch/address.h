// SPDX-License-Identifier: Apache-2.0
// How threads, mailboxes and special destinations are numbered (docs/sources/tinsel.md, 1.4).
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "roles/overlay/arch/board_params.h"
#include "roles/overlay/arch/message_kind.h"

namespace polyloom::overlay {

struct BoardCoord {
  unsigned x = 0, y = 0;
  bool operator==(const BoardCoord&) const = default;
};

/// The boards of a cluster: x in [0, width), y in [0, height). North is +y, east is +x.
struct MeshSize {
  unsigned width = 1, height = 1;
  unsigned boards() const { return width * height; }
};

/// A thread id, most significant field first: board y, board x, tile y, tile x, then six bits of the thread's
/// index in its tile (core * threads a core + thread), which is also its bit in a message's mask. A mailbox
/// id is the thread id without the index. Fields are as wide as in the published configuration; those of the
/// tile are wider only where a board is larger than that, so a program sees the same ids on a smaller board.
class AddressLayout {
 public:
  explicit AddressLayout(const BoardParams& params);

  static constexpr unsigned kIndexBits = 6;
  /// Bits of a mailbox id without the extra address bits.
  unsigned mailbox_bits() const { return board_shift_ + 2 * kBoardBits; }

  std::uint32_t mailbox_id(BoardCoord board, unsigned tile_x, unsigned tile_y) const;
  std::uint32_t thread_id(BoardCoord board, unsigned tile_x, unsigned tile_y, unsigned index) const {
    return (mailbox_id(board, tile_x, tile_y) << kIndexBits) | index;
  }

  BoardCoord board_of(std::uint32_t mailbox) const {
    return {(mailbox >> board_shift_) & kBoardMask, (mailbox >> (board_shift_ + kBoardBits)) & kBoardMask};
  }
  unsigned tile_x(std::uint32_t mailbox) const { return mailbox & ((1u << tile_x_bits_) - 1); }
  unsigned tile_y(std::uint32_t mailbox) const {
    return (mailbox >> tile_x_bits_) & ((1u << tile_y_bits_) - 1);
  }

  // Extra address bits, mailbox form.
  bool host_side(std::uint32_t dest) const {
    return (dest >> mailbox_bits()) & 1;
  }  ///< false west, true east
  bool is_host(std::uint32_t dest) const { return (dest >> (mailbox_bits() + 1)) & 1; }
  bool is_key(std::uint32_t dest) const { return (dest >> (mailbox_bits() + 2)) & 1; }
  bool is_accelerator(std::uint32_t dest) const { return (dest >> (mailbox_bits() + 3)) & 1; }
  /// What a message is by its destination and mask.
  MessageKind kind_of(std::uint32_t dest, std::uint64_t mask) const {
    return is_key(dest)                ? MessageKind::key
           : is_host(dest)             ? MessageKind::host
           : std::has_single_bit(mask) ? MessageKind::unicast
                                       : MessageKind::mask;
  }
  std::uint32_t host_bit() const { return 1u << (mailbox_bits() + 1); }
  std::uint32_t key_bit() const { return 1u << (mailbox_bits() + 2); }

  /// Why no message can go to `dest` (mailbox form), as what a thread does: "sends to ..."; empty if one can.
  std::string problem_with(std::uint32_t dest, MeshSize mesh, const BoardParams& params) const;

  /// "board (0,1) tile 5 thread 17" for messages to people.
  std::string describe(std::uint32_t mailbox) const;

  static constexpr unsigned kBoardBits = 3;

 private:
  static constexpr unsigned kBoardMask = (1u << kBoardBits) - 1;
  unsigned tile_x_bits_, tile_y_bits_, board_shift_;
};

}  // namespace polyloom::overlay
