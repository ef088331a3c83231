// SPDX-License-Identifier: Apache-2.0
// The board's shell: what it does with frames from the host.
#include <algorithm>

#include "fabric/error.h"
#include "roles/overlay/sim/board/board.h"

namespace polyloom::overlay {
namespace {

template <class... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;

}  // namespace

void Board::host_frames(Cycle to) {
  while (const auto frame = host_.receive(clock_.edge(to - 1) + 1)) handle(to, frame->words);
}

void Board::handle(Cycle to, std::span<const std::uint64_t> words) {
  const blocks::HostFrame frame = blocks::decode(words);
  const auto refuse = [&](blocks::FrameReason reason) {
    ++bad_frames_;
    reply(blocks::encode(blocks::FrameErrorFrame{
        .tag = words.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(words[0] >> 16),
        .reason = reason,
        .word0 = words.empty() ? 0 : words[0]}));
  };
  if (const auto* bad = std::get_if<blocks::FrameFault>(&frame)) return refuse(bad->reason);
  const bool done =
      std::visit(Overload{[&](const blocks::MsgFrame& f) { return handle_message(f); },
                          [&](const blocks::WriteFrame& f) { return handle_write(f); },
                          [&](const blocks::ReadFrame& f) { return handle_read(f); },
                          [&](const blocks::RegReadFrame& f) { return handle_register(f); },
                          [&](const blocks::RegWriteFrame& f) { return f.reg == blocks::reg::control; },
                          [&](const blocks::UartInFrame& f) { return handle_uart(f); },
                          [&](const blocks::StartFrame& f) { return handle_start(to, f); },
                          [](const auto&) { return false; }},  // what only boards send
                 frame);
  if (!done) refuse(blocks::FrameReason::refused);
}

/// Messages enter the mesh at board (0,0) only: its gate is the one that detection knows.
bool Board::handle_message(const blocks::MsgFrame& frame) {
  const AddressLayout& layout = net_.layout;
  const BoardCoord to = layout.board_of(frame.dest);
  const std::uint64_t threads = ~std::uint64_t{0} >> (64 - params_.board.threads_per_tile());
  if (site_.at != BoardCoord{0, 0} || frame.flits() > params_.board.max_flits || frame.mask == 0 ||
      (frame.mask & ~threads) != 0 || frame.dest >> layout.mailbox_bits() != 0 || to.x >= site_.mesh.width ||
      to.y >= site_.mesh.height || layout.tile_x(frame.dest) >= params_.board.tiles_x ||
      layout.tile_y(frame.dest) >= params_.board.tiles_y) {
    return false;
  }
  Message message;
  message.dest = frame.dest;
  message.mask = frame.mask;
  message.flits = static_cast<std::uint8_t>(frame.flits());
  message.kind = std::has_single_bit(frame.mask) ? MessageKind::unicast : MessageKind::mask;
  for (std::size_t i = 0; i < frame.payload.size(); ++i) {
    message.data[2 * i] = static_cast<std::uint32_t>(frame.payload[i]);
    message.data[2 * i + 1] = static_cast<std::uint32_t>(frame.payload[i] >> 32);
  }
  from_host_.push_back(message);
  return true;
}

bool Board::in_scratchpad(const blocks::MemRange& range) const {
  const std::uint64_t size = std::uint64_t{params_.board.mailbox_slots} * kSlotWords * 4;
  return range.target < params_.board.tiles() && range.address % 4 == 0 && range.bytes % 4 == 0 &&
         std::uint64_t{range.address} + range.bytes <= size;
}

bool Board::in_instr(const blocks::MemRange& range) const {
  return (range.target == blocks::kBroadcast || range.target < pairs()) && range.bytes % 4 == 0 &&
         std::uint64_t{range.address} + range.bytes / 4 <= params_.board.instr_words;
}

bool Board::handle_write(const blocks::WriteFrame& frame) {
  const blocks::MemRange& range = frame.range;
  const std::vector<std::uint8_t> bytes = blocks::unpack_bytes(frame.data, range.bytes);
  const auto word = [&](std::size_t i) {
    return static_cast<std::uint32_t>(frame.data[i / 2] >> (i % 2 * 32));
  };
  const std::size_t words = range.bytes / 4;
  switch (range.space) {
    case blocks::Space::slice0:
    case blocks::Space::slice1:
      try {
        const unsigned slice = range.space == blocks::Space::slice0 ? 0 : 1;
        if (slice >= memory_.slices()) return false;
        memory_.write(slice, range.address, bytes.data(), bytes.size());
      } catch (const UserError&) {
        return false;
      }
      break;
    case blocks::Space::instr: {
      if (!in_instr(range)) return false;
      const unsigned first = range.target == blocks::kBroadcast ? 0 : range.target;
      const unsigned last = range.target == blocks::kBroadcast ? pairs() - 1 : range.target;
      const unsigned per_tile = pairs() / params_.board.tiles();
      for (unsigned pair = first; pair <= last; ++pair) {
        for (std::size_t i = 0; i < words; ++i) {
          tiles_[pair / per_tile]->write_instr(pair % per_tile, static_cast<std::uint32_t>(range.address + i),
                                               word(i));
        }
      }
      break;
    }
    case blocks::Space::scratchpad:
      if (!in_scratchpad(range)) return false;
      for (std::size_t i = 0; i < words; ++i) {
        noc_.mailbox(range.target).store(static_cast<std::uint32_t>(range.address + 4 * i), word(i), 0xf);
      }
      break;
  }
  bytes_written_ += range.bytes;
  reply(blocks::encode(blocks::WriteDoneFrame{frame.tag, range}));
  return true;
}

bool Board::handle_read(const blocks::ReadFrame& frame) {
  const blocks::MemRange& range = frame.range;
  std::vector<std::uint64_t> data((std::size_t{range.bytes} + 7) / 8);
  const auto put = [&](std::size_t i, std::uint32_t word) {
    data[i / 2] |= std::uint64_t{word} << (i % 2 * 32);
  };
  switch (range.space) {
    case blocks::Space::slice0:
    case blocks::Space::slice1:
      try {
        const unsigned slice = range.space == blocks::Space::slice0 ? 0 : 1;
        if (slice >= memory_.slices()) return false;
        std::vector<std::uint8_t> bytes(range.bytes);
        memory_.read(slice, range.address, bytes.data(), bytes.size());
        data = blocks::pack_bytes(bytes);
      } catch (const UserError&) {
        return false;
      }
      break;
    case blocks::Space::instr: {
      if (!in_instr(range) || range.target == blocks::kBroadcast) return false;
      const unsigned per_tile = pairs() / params_.board.tiles();
      for (std::size_t i = 0; i < range.bytes / 4; ++i) {
        put(i, tiles_[range.target / per_tile]->read_instr(range.target % per_tile,
                                                           static_cast<std::uint32_t>(range.address + i)));
      }
      break;
    }
    case blocks::Space::scratchpad:
      if (!in_scratchpad(range)) return false;
      for (std::size_t i = 0; i < range.bytes / 4; ++i) {
        put(i, noc_.mailbox(range.target).load(static_cast<std::uint32_t>(range.address + 4 * i)));
      }
      break;
  }
  bytes_read_ += range.bytes;
  reply(blocks::encode(blocks::ReadDataFrame{frame.tag, range, data}));
  return true;
}

bool Board::handle_register(const blocks::RegReadFrame& frame) {
  namespace reg = blocks::reg;
  const BoardParams& p = params_.board;
  std::uint64_t value = 0;
  switch (frame.reg) {
    case reg::magic:
      value = reg::kMagic;
      break;
    case reg::version:
      value = reg::kVersion;
      break;
    case reg::role:
      value = static_cast<std::uint64_t>(blocks::RoleId::overlay);
      break;
    case reg::position:
      value = site_.at.x | (std::uint64_t{site_.at.y} << 16);
      break;
    case reg::clock_hz:
      value = p.clock_hz;
      break;
    case reg::cycle:
      value = reply_at_;
      break;
    case reg::status:
      value = bad_frames_ != 0 ? std::uint64_t{reg::kBadFrameSeen} : 0;
      break;
    case reg::frames_in:
      value = host_.frames_in();
      break;
    case reg::frames_out:
      value = host_.frames_out();
      break;
    case reg::bad_frames:
      value = bad_frames_;
      break;
    case reg::bytes_written:
      value = bytes_written_;
      break;
    case reg::bytes_read:
      value = bytes_read_;
      break;
    case kMeshSize:
      value = site_.mesh.width | (std::uint64_t{site_.mesh.height} << 16);
      break;
    case kTiles:
      value =
          p.tiles_x | (p.tiles_y << 8) | (p.cores_per_tile << 16) | (std::uint64_t{p.threads_per_core} << 24);
      break;
    case kSlices:
      value = memory_.slices();
      break;
    case kOptions:
      value = p.extra_send_slot;
      break;
    case kBarriers:
      value = detector_->counters().barriers;
      break;
    case kInstructions:
      value = instructions();
      break;
    default:
      return false;
  }
  reply(blocks::encode(blocks::RegDataFrame{frame.tag, frame.reg, value}));
  return true;
}

bool Board::handle_uart(const blocks::UartInFrame& frame) {
  const BoardParams& p = params_.board;
  const unsigned cores = p.tiles() * p.cores_per_tile;
  if (frame.thread >= p.threads_per_core || (!frame.broadcast && frame.core >= cores)) return false;
  const unsigned first = frame.broadcast ? 0 : frame.core, last = frame.broadcast ? cores - 1 : frame.core;
  for (unsigned core = first; core <= last; ++core) {
    tiles_[core / p.cores_per_tile]->uart_in(core % p.cores_per_tile, frame.thread, frame.byte);
  }
  return true;
}

bool Board::handle_start(Cycle to, const blocks::StartFrame& frame) {
  const BoardParams& p = params_.board;
  if (frame.first_core + frame.cores > p.tiles() * p.cores_per_tile || frame.threads > p.threads_per_core)
    return false;
  for (unsigned core = frame.first_core; core < unsigned{frame.first_core} + frame.cores; ++core) {
    for (unsigned thread = 0; thread < frame.threads; ++thread) {
      const unsigned tile = core / p.cores_per_tile, local = core % p.cores_per_tile;
      tiles_[tile]->start_thread(to, local, thread, frame.pc);
    }
  }
  return true;
}

}  // namespace polyloom::overlay
