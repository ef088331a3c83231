// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/elf_run/elf_runner.h"

#include <config.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "blocks/shell/host_frames.h"
#include "fabric/error.h"
#include "roles/overlay/host/core.h"
#include "roles/overlay/sim/board/fault_codes.h"
#include "roles/overlay/sim/tile/memory.h"

namespace polyloom::overlay {
namespace {

using blocks::MemRange;
using blocks::Space;

constexpr std::uint32_t kPiece = 1u << 16;

std::uint32_t first_thread(unsigned core) { return core << TinselLogThreadsPerCore; }

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

}  // namespace

ElfRunner::ElfRunner(std::unique_ptr<HostBackend> backend)
    : backend_(std::move(backend)),
      memories_(backend_->facts().tiles_x * backend_->facts().tiles_y *
                ((backend_->facts().cores_per_tile + 1) / 2)) {}

ElfRunner::Place ElfRunner::take_place() {
  const ClusterFacts& facts = backend_->facts();
  const unsigned of_tile = (facts.cores_per_tile + 1) / 2;
  const unsigned memory = next_++;
  const unsigned dense = memory / of_tile * facts.cores_per_tile + memory % of_tile * 2;
  const unsigned core = core_of_dense(facts, dense);
  const auto slice = slice_of_core(facts, core) == 0 ? Space::slice0 : Space::slice1;
  return {.core = dense,
          .tile = memory / of_tile,
          .memory = memory,
          .thread = first_thread(core),
          .slice = slice};
}

/// The next frame that answers; a fault of the program at `place` is noted on the way. Of others too
/// something may come: a program that ran out of time still runs.
BackendFrame ElfRunner::answer(const Place& place) {
  for (;;) {
    BackendFrame frame = backend_->recv();
    const blocks::HostFrame decoded = blocks::decode(frame.words);
    if (const auto* fault = std::get_if<blocks::FaultFrame>(&decoded)) {
      if (fault->thread != place.thread) continue;
      fault_ = wire_cause_text(fault->cause) + " at pc " + hex(fault->pc) + ", value " + hex(fault->value);
      continue;
    }
    if (const auto* error = std::get_if<blocks::FrameErrorFrame>(&decoded)) {
      throw UserError("the board refused what the program needs: " +
                      std::string(blocks::reason_text(error->reason)));
    }
    if (std::holds_alternative<blocks::UartOutFrame>(decoded) ||
        std::holds_alternative<blocks::MsgFrame>(decoded)) {
      continue;
    }
    return frame;
  }
}

void ElfRunner::write(const Place& place, const MemRange& range, const std::vector<std::uint8_t>& bytes) {
  const std::vector<std::uint64_t> words = blocks::pack_bytes(bytes);
  backend_->send(0, blocks::encode(blocks::WriteFrame{0, range, words}));
  answer(place);
}

void ElfRunner::load_segment(const ElfSegment& segment, const Place& place) {
  const ClusterFacts& facts = backend_->facts();
  std::vector<std::uint8_t> bytes = segment.bytes;
  std::uint32_t address = segment.address;
  // Whole words: what lies before and behind a segment in its word is not another's.
  bytes.insert(bytes.begin(), address % 4, 0);
  address -= address % 4;
  bytes.resize((bytes.size() + 3) / 4 * 4);
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const std::uint64_t end = std::uint64_t{address} + size;
  if (end <= std::uint64_t{facts.instr_words} * 4) {
    write(place, {Space::instr, place.memory, address / 4, size}, bytes);
  } else if (address >= kScratchpadBase && end <= kScratchpadEnd) {
    write(place, {Space::scratchpad, place.tile, address - kScratchpadBase, size}, bytes);
  } else if (address >= kSramABase) {
    for (std::uint32_t at = 0; at < size; at += kPiece) {
      const std::uint32_t piece = std::min(kPiece, size - at);
      write(place, {place.slice, 0, address + at, piece}, {bytes.begin() + at, bytes.begin() + at + piece});
    }
  } else {
    throw UserError("a segment at " + hex(segment.address) + " of " + std::to_string(segment.bytes.size()) +
                    " bytes: code must lie below " + hex(facts.instr_words * 4) +
                    ", data in the scratchpad (0x8000..0xffff) or from 0x800000 on");
  }
}

void ElfRunner::load(const ElfProgram& program, const Place& place) {
  for (const ElfSegment& segment : program.segments) load_segment(segment, place);
}

std::uint32_t ElfRunner::read_word(std::uint32_t address, const Place& place) {
  const bool in_pad = address >= kScratchpadBase && address < kScratchpadEnd;
  const MemRange range = in_pad ? MemRange{Space::scratchpad, place.tile, address - kScratchpadBase, 4}
                                : MemRange{place.slice, 0, address, 4};
  backend_->send(0, blocks::encode(blocks::ReadFrame{0, range}));
  const BackendFrame frame = answer(place);
  const blocks::HostFrame decoded = blocks::decode(frame.words);
  return static_cast<std::uint32_t>(std::get<blocks::ReadDataFrame>(decoded).data[0]);
}

ElfResult ElfRunner::run(const ElfProgram& program, double limit_us) {
  const Place place = take_place();
  fault_.clear();
  load(program, place);
  const fabric::Time began = backend_->now();
  backend_->send(
      0, blocks::encode(blocks::StartFrame{0, static_cast<std::uint16_t>(place.core), 1, 1, program.entry}));
  ElfResult result;
  for (;;) {
    result.tohost = read_word(program.tohost, place);
    result.microseconds = static_cast<double>(backend_->now() - began) * 1e-6;
    if (result.tohost != 0) break;
    if (!fault_.empty()) {
      result.reason = fault_;
      return result;
    }
    if (result.microseconds > limit_us) {
      result.reason = "nothing was written to tohost in " + std::to_string(static_cast<long>(limit_us)) +
                      " us of simulated time";
      return result;
    }
  }
  result.passed = result.tohost == 1;
  if (!result.passed) {
    result.reason = (result.tohost & 1) != 0
                        ? "test " + std::to_string(result.tohost >> 1) + " failed"
                        : "tohost is " + hex(result.tohost) + ", which is no end of a test";
  }
  return result;
}

}  // namespace polyloom::overlay
