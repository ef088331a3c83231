// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/address.h"

#include <algorithm>
#include <bit>

namespace polyloom::overlay {
namespace {

unsigned field_bits(unsigned count, unsigned published) {
  return std::max(published, static_cast<unsigned>(std::bit_width(count - 1)));
}

}  // namespace

AddressLayout::AddressLayout(const BoardParams& params)
    : threads_per_core_(params.threads_per_core),
      cores_per_tile_(params.cores_per_tile),
      thread_bits_(static_cast<unsigned>(std::bit_width(params.threads_per_core - 1))),
      core_bits_(static_cast<unsigned>(std::bit_width(params.cores_per_tile - 1))),
      tile_x_bits_(field_bits(params.tiles_x, 2)),
      tile_y_bits_(field_bits(params.tiles_y, 2)),
      board_shift_(tile_x_bits_ + tile_y_bits_) {
  // A tile's fields together stay six bits wide, as its message mask: 32 x 2, 16 x 4 and 8 x 8 all fit.
  if (thread_bits_ + core_bits_ < 6) {
    thread_bits_ = std::max(thread_bits_, std::min(4u, 6 - core_bits_));
    core_bits_ = 6 - thread_bits_;
  }
}

std::uint32_t AddressLayout::mailbox_id(BoardCoord board, unsigned tile_x, unsigned tile_y) const {
  return (board.y << (board_shift_ + kBoardBits)) | (board.x << board_shift_) | (tile_y << tile_x_bits_) |
         tile_x;
}

unsigned AddressLayout::mask_bit(unsigned index) const {
  return ((index / threads_per_core_) << thread_bits_) | (index % threads_per_core_);
}

int AddressLayout::index_of_mask_bit(unsigned bit) const {
  const unsigned core = bit >> thread_bits_, thread = bit & ((1u << thread_bits_) - 1);
  if (core >= cores_per_tile_ || thread >= threads_per_core_) return -1;
  return static_cast<int>(core * threads_per_core_ + thread);
}

std::uint32_t AddressLayout::thread_id(BoardCoord board, unsigned tile_x, unsigned tile_y,
                                       unsigned index) const {
  return (mailbox_id(board, tile_x, tile_y) << mailbox_shift()) | mask_bit(index);
}

std::string AddressLayout::describe(std::uint32_t mailbox) const {
  const BoardCoord board = board_of(mailbox);
  if (is_host(mailbox)) return "the host";
  if (is_key(mailbox)) return "a routing key";
  return "board (" + std::to_string(board.x) + "," + std::to_string(board.y) + ") tile (" +
         std::to_string(tile_x(mailbox)) + "," + std::to_string(tile_y(mailbox)) + ")";
}

}  // namespace polyloom::overlay
