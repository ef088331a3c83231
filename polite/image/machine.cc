// SPDX-License-Identifier: Apache-2.0
#include "polite/machine.h"

#include <string>

#include "fabric/error.h"
#include "polite/mapper/environment.h"
#include "spec/memory_map.h"

namespace polyloom::polite {

namespace {

constexpr unsigned kThreadBits = 4, kCoreBits = 2, kTileBits = 2, kBoardBits = 3;
constexpr unsigned kMailboxShift = kThreadBits + kCoreBits;
constexpr std::uint32_t kPartitions = 512;  // per memory slice

void require(unsigned value, unsigned bits, const char* what) {
  if (value < 1 || value > (1u << bits)) {
    throw UserError("the vertex API needs 1.." + std::to_string(1u << bits) + " " + what +
                    ", the cluster has " + std::to_string(value));
  }
}

}  // namespace

std::uint32_t Machine::mailbox_id(unsigned mailbox) const {
  const unsigned board = mailbox / tiles(), tile = mailbox % tiles();
  std::uint32_t id = board / boards_x;
  id = id << kBoardBits | board % boards_x;
  id = id << kTileBits | tile / tiles_x;
  return id << kTileBits | tile % tiles_x;
}

std::uint32_t Machine::key_mailbox() { return 1u << (2 * kBoardBits + 2 * kTileBits + 2); }

std::uint32_t Machine::thread_id(unsigned thread) const {
  const unsigned in_tile = thread % threads_per_tile();
  return mailbox_id(mailbox_of(thread)) << kMailboxShift | (in_tile / threads_per_core) << kThreadBits |
         in_tile % threads_per_core;
}

unsigned Machine::thread_number(std::uint32_t id) const {
  auto field = [id](unsigned shift, unsigned bits) { return id >> shift & ((1u << bits) - 1); };
  const unsigned tile =
      field(kMailboxShift + kTileBits, kTileBits) * tiles_x + field(kMailboxShift, kTileBits);
  const unsigned board_shift = kMailboxShift + 2 * kTileBits;
  const unsigned board =
      field(board_shift + kBoardBits, kBoardBits) * boards_x + field(board_shift, kBoardBits);
  return (board * tiles() + tile) * threads_per_tile() + field(kThreadBits, kCoreBits) * threads_per_core +
         field(0, kThreadBits);
}

unsigned Machine::slice_of(unsigned thread) const { return mailbox_of(thread) % tiles() * slices / tiles(); }

std::uint32_t Machine::sram_base(unsigned thread) const {
  return overlay::kSramABase + thread_id(thread) % kPartitions * sram_bytes;
}

std::uint32_t Machine::dram_base(unsigned thread) const {
  return (overlay::kDramEnd - (thread_id(thread) % kPartitions + 1) * dram_bytes) | overlay::kDramEnd;
}

void Machine::check() const {
  require(boards_x, kBoardBits, "boards in x");
  require(boards_y, kBoardBits, "boards in y");
  require(tiles_x, kTileBits, "tiles in x");
  require(tiles_y, kTileBits, "tiles in y");
  require(cores_per_tile, kCoreBits, "cores a tile");
  require(threads_per_core, kThreadBits, "threads a core");
}

Machine Machine::from_environment() {
  Machine machine;
  machine.boards_x = 3 * environment_or("HOSTLINK_BOXES_X", 4, 1);
  machine.boards_y = 2 * environment_or("HOSTLINK_BOXES_Y", 4, 1);
  return machine;
}

}  // namespace polyloom::polite
