// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/arch/address.h"

#include <algorithm>
#include <bit>

namespace polyloom::overlay {
namespace {

unsigned field_bits(unsigned count, unsigned published) {
  return std::max(published, static_cast<unsigned>(std::bit_width(count - 1)));
}

}  // namespace

AddressLayout::AddressLayout(const BoardParams& params)
    : tile_x_bits_(field_bits(params.tiles_x, 2)),
      tile_y_bits_(field_bits(params.tiles_y, 2)),
      board_shift_(tile_x_bits_ + tile_y_bits_) {}

std::uint32_t AddressLayout::mailbox_id(BoardCoord board, unsigned tile_x, unsigned tile_y) const {
  return (board.y << (board_shift_ + kBoardBits)) | (board.x << board_shift_) | (tile_y << tile_x_bits_) |
         tile_x;
}

std::string AddressLayout::problem_with(std::uint32_t dest, MeshSize mesh, const BoardParams& params) const {
  if (is_key(dest)) {
    if (params.programmable_routers) return {};
    return "sends to a routing key, but this overlay has no programmable routers ([overlay] "
           "programmable_routers); send to threads instead";
  }
  if (is_accelerator(dest)) return "sends to a custom accelerator, but this overlay has none";
  const BoardCoord board = board_of(dest);
  if (is_host(dest) || (board.x < mesh.width && board.y < mesh.height && tile_x(dest) < params.tiles_x &&
                        tile_y(dest) < params.tiles_y)) {
    return {};
  }
  return "sends to " + describe(dest) + ", which does not exist; the cluster has " +
         std::to_string(mesh.width) + "x" + std::to_string(mesh.height) + " boards of " +
         std::to_string(params.tiles_x) + "x" + std::to_string(params.tiles_y) + " tiles";
}

std::string AddressLayout::describe(std::uint32_t mailbox) const {
  const BoardCoord board = board_of(mailbox);
  if (is_host(mailbox)) return "the host";
  if (is_key(mailbox)) return "a routing key";
  return "board (" + std::to_string(board.x) + "," + std::to_string(board.y) + ") tile (" +
         std::to_string(tile_x(mailbox)) + "," + std::to_string(tile_y(mailbox)) + ")";
}

}  // namespace polyloom::overlay
