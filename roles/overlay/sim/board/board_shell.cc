// SPDX-License-Identifier: Apache-2.0
// What the board does with what its shell (blocks/shell) takes from the host.
#include <bit>

#include "roles/overlay/arch/fault_codes.h"
#include "roles/overlay/sim/board/board.h"

namespace polyloom::overlay {
namespace {

using blocks::Space;

constexpr Cycle kStartCycles = 8;  ///< from the start of a thread to that of the next, of an idle core

unsigned slice_of(Space space) { return space == Space::slice0 ? 0 : 1; }
std::uint32_t half(std::uint64_t data, unsigned i) { return static_cast<std::uint32_t>(data >> (32 * i)); }

}  // namespace

bool Board::has(const blocks::MemRange& range) const {
  const std::uint64_t first = range.address, end = first + range.bytes;
  switch (range.space) {
    case Space::slice0:
    case Space::slice1:
      return slice_of(range.space) < memory_.slices() &&
             ((first >= kSramABase && end <= kDramEnd) ||
              (first >= kInterleavedBase && end <= std::uint64_t{1} << 32));
    case Space::instr:
      return (range.target == blocks::kBroadcast || range.target < pairs()) && range.bytes % 4 == 0 &&
             first + range.bytes / 4 <= params_.board.instr_words;
    case Space::scratchpad:
      return range.target < params_.board.tiles() && first % 4 == 0 && range.bytes % 4 == 0 &&
             end <= std::uint64_t{params_.board.mailbox_slots} * kSlotWords * 4;
    case Space::channel:  // other roles'
    case Space::program:
      break;
  }
  return false;
}

/// Instructions and scratchpads take a request for each 32-bit half, and a request two cycles.
unsigned Board::write_slots(const blocks::MemRange& range) const {
  return range.space == Space::instr || range.space == Space::scratchpad ? 4 : 1;
}

void Board::write_word(Cycle, const blocks::MemRange& range, std::size_t index, std::uint64_t data,
                       unsigned bytes) {
  const auto offset = static_cast<std::uint32_t>(index);
  switch (range.space) {
    case Space::slice0:
    case Space::slice1:
      memory_.write(slice_of(range.space), range.address + 8 * offset, &data, bytes);
      break;
    case Space::instr: {
      const bool all = range.target == blocks::kBroadcast;
      const unsigned per_tile = pairs() / params_.board.tiles();
      for (unsigned pair = all ? 0 : range.target; pair <= (all ? pairs() - 1 : range.target); ++pair) {
        for (unsigned i = 0; i < bytes / 4; ++i) {
          tiles_[pair / per_tile]->write_instr(pair % per_tile, range.address + 2 * offset + i,
                                               half(data, i));
        }
      }
      break;
    }
    case Space::scratchpad:
      for (unsigned i = 0; i < bytes / 4; ++i) {
        noc_.mailbox(range.target).store(range.address + 8 * offset + 4 * i, half(data, i), 0xf);
      }
      break;
    case Space::channel:
    case Space::program:
      break;
  }
}

std::uint64_t Board::read_word(Cycle, const blocks::MemRange& range, std::size_t index, unsigned bytes) {
  const auto offset = static_cast<std::uint32_t>(index);
  std::uint64_t data = 0;
  switch (range.space) {
    case Space::slice0:
    case Space::slice1:
      memory_.read(slice_of(range.space), range.address + 8 * offset, &data, bytes);
      break;
    case Space::instr: {
      // Broadcast: all hold the same after a broadcast write; the first one responds.
      const unsigned pair = range.target == blocks::kBroadcast ? 0 : range.target;
      const unsigned per_tile = pairs() / params_.board.tiles();
      for (unsigned i = 0; i < bytes / 4; ++i) {
        const std::uint32_t word =
            tiles_[pair / per_tile]->read_instr(pair % per_tile, range.address + 2 * offset + i);
        data |= std::uint64_t{word} << (32 * i);
      }
      break;
    }
    case Space::scratchpad:
      for (unsigned i = 0; i < bytes / 4; ++i) {
        const std::uint32_t word = noc_.mailbox(range.target).load(range.address + 8 * offset + 4 * i);
        data |= std::uint64_t{word} << (32 * i);
      }
      break;
    case Space::channel:
    case Space::program:
      break;
  }
  return data;
}

/// Messages enter the mesh at board (0,0) only: its gate is the one that detection knows.
blocks::ShellHandler::Response Board::message(Cycle, const blocks::MsgFrame& frame) {
  const AddressLayout& layout = net_.layout;
  const bool key = frame.dest == layout.key_bit() && params_.board.programmable_routers;
  const bool receivers = key || (frame.dest >> layout.mailbox_bits() == 0 && frame.mask != 0 &&
                                 (frame.mask & ~params_.board.tile_mask()) == 0 &&
                                 layout.problem_with(frame.dest, site_.mesh, params_.board).empty());
  if (site_.at != BoardCoord{0, 0} || frame.flits() > params_.board.max_flits || !receivers) {
    return Response::refused;
  }
  if (from_host_flits_ + frame.flits() > kHostFlits) return Response::busy;
  from_host_flits_ += frame.flits();
  Message message;
  message.dest = frame.dest;
  message.mask = frame.mask;
  message.flits = static_cast<std::uint8_t>(frame.flits());
  message.kind = layout.kind_of(frame.dest, frame.mask);
  for (std::size_t i = 0; i < frame.payload.size(); ++i) {
    message.data[2 * i] = half(frame.payload[i], 0);
    message.data[2 * i + 1] = half(frame.payload[i], 1);
  }
  from_host_.push_back(message);
  return Response::done;
}

blocks::ShellHandler::Response Board::uart_in(Cycle, const blocks::UartInFrame& frame) {
  const BoardParams& p = params_.board;
  const unsigned cores = p.tiles() * p.cores_per_tile;
  if (frame.thread >= p.threads_per_core || (!frame.broadcast && frame.core >= cores))
    return Response::refused;
  const unsigned first = frame.broadcast ? 0 : frame.core, last = frame.broadcast ? cores - 1 : frame.core;
  for (unsigned core = first; core <= last; ++core) {
    const unsigned tile = core / p.cores_per_tile, in_tile = core % p.cores_per_tile;
    if (!tiles_[tile]->uart_in(in_tile, frame.thread, frame.byte)) {
      console_fault(thread_id(tile, in_tile * p.threads_per_core + frame.thread));
    }
  }
  return Response::done;
}

/// A start goes down a core's pipeline, so threads start one after the other, from the end of the board
/// window on in which the frame came: core by core, but those of one number together if all cores are
/// started. The shell goes on when all are.
blocks::ShellHandler::Response Board::start(Cycle c, const blocks::StartFrame& frame) {
  if (started_at_) {
    if (c < *started_at_) return Response::busy;
    started_at_.reset();
    return Response::done;
  }
  const BoardParams& p = params_.board;
  const unsigned cores = p.tiles() * p.cores_per_tile;
  const unsigned end = unsigned{frame.first_core} + frame.cores;
  if (end > cores || frame.threads > p.threads_per_core) return Response::refused;
  const bool every_core = frame.cores == cores;
  unsigned step = 0;
  for (unsigned core = frame.first_core; core < end; ++core) {
    if (every_core) step = 0;
    for (unsigned thread = 0; thread < frame.threads; ++thread) {
      tiles_[core / p.cores_per_tile]->start_thread(reply_at_ + kStartCycles * step++,
                                                    core % p.cores_per_tile, thread, frame.pc);
    }
  }
  started_at_ = reply_at_ + kStartCycles * step;
  return Response::busy;
}

std::optional<std::uint64_t> Board::role_register(Cycle, std::uint32_t reg) {
  const BoardParams& p = params_.board;
  switch (reg) {
    case kMeshSize:
      return site_.mesh.width | (std::uint64_t{site_.mesh.height} << 16);
    case kTiles:
      return p.tiles_x | (p.tiles_y << 8) | (p.cores_per_tile << 16) |
             (std::uint64_t{p.threads_per_core} << 24);
    case kSlices:
      return memory_.slices();
    case kOptions:
      return p.extra_send_slot ? 1 : 0;
    case kBarriers:
      return detector_->counters().barriers;
    case kInstructions:
      return instructions();
    default:
      return std::nullopt;
  }
}

}  // namespace polyloom::overlay
