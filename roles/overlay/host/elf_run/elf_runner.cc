// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/elf_run/elf_runner.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "blocks/shell/host_frames.h"
#include "fabric/error.h"
#include "roles/overlay/arch/fault_codes.h"
#include "roles/overlay/arch/memory_map.h"
#include "roles/overlay/host/core.h"
#include "roles/overlay/host/memory_image.h"

namespace polyloom::overlay {
namespace {

using blocks::MemRange;
using blocks::Space;

constexpr std::uint32_t kPiece = 1u << 16;
constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace

MemRange place_of(const ClusterFacts& facts, bool executable, std::uint32_t address, std::uint64_t bytes,
                  const std::string& what) {
  const std::uint64_t end = address + bytes;
  const std::uint32_t code_end = facts.instr_words * 4;
  const auto range = [&](Space space, std::uint32_t at) {
    return MemRange{space, 0, at, static_cast<std::uint32_t>(bytes)};
  };
  if (executable && end <= code_end) return range(Space::instr, address / 4);
  const bool is_code = executable && address < code_end;
  if (!is_code && address >= kScratchpadBase && end <= kScratchpadEnd) {
    return range(Space::scratchpad, address - kScratchpadBase);
  }
  const bool in_memory = address >= kSramABase && end <= kDramEnd;
  const bool in_interleaved_view = address >= kInterleavedBase && end <= kAddresses;
  if (!is_code && (in_memory || in_interleaved_view)) {
    return range(slice_of_core(facts, core_of_dense(facts, 0)) == 0 ? Space::slice0 : Space::slice1, address);
  }
  throw UserError(what + " at " + hex(address) + " of " + std::to_string(bytes) +
                  " bytes lies in no memory: on cluster '" + facts.name + "' code lies below " +
                  hex(code_end) + ", data in 0x8000..0xffff (scratchpad), 0x800000..0x7fffffff or from " +
                  "0xc0000000 on");
}

/// The next frame that responds; a fault of the program is noted on the way.
BackendFrame ElfRunner::response(const std::string& what) {
  for (;;) {
    while (received_.empty()) {
      for (BackendFrame& frame : backend_->recv()) received_.push_back(std::move(frame));
    }
    BackendFrame frame = std::move(received_.front());
    received_.pop_front();
    const blocks::HostFrame decoded = blocks::decode(frame.words);
    if (const auto* fault = std::get_if<blocks::FaultFrame>(&decoded)) {
      fault_ =
          fault_text(backend_->facts(), *fault) + " at pc " + hex(fault->pc) + ", value " + hex(fault->value);
      continue;
    }
    if (const auto* error = std::get_if<blocks::FrameErrorFrame>(&decoded)) {
      throw UserError("the board refused " + what + ": " + std::string(blocks::reason_text(error->reason)));
    }
    if (std::holds_alternative<blocks::UartOutFrame>(decoded) ||
        std::holds_alternative<blocks::MsgFrame>(decoded)) {
      continue;
    }
    return frame;
  }
}

void ElfRunner::write(const MemRange& range, std::span<const std::uint8_t> bytes, const std::string& what) {
  const unsigned bytes_a_step = range.space == Space::instr ? 4 : 1;
  for (std::uint32_t at = 0; at < range.bytes; at += kPiece) {
    MemRange piece = range;
    piece.address += at / bytes_a_step;
    piece.bytes = std::min(kPiece, range.bytes - at);
    const std::vector<std::uint64_t> words = blocks::pack_bytes(bytes.subspan(at, piece.bytes));
    send(blocks::encode(blocks::WriteFrame{0, piece, words}));
    response(what);
  }
}

void ElfRunner::load(const ElfProgram& program) {
  // Memories are written in words, in which segments of one memory may meet.
  std::map<Space, std::vector<MemoryImage>> pieces;
  for (const ElfSegment& segment : program.segments) {
    const std::string what = program.name + ": a segment of " + (segment.executable ? "code" : "data");
    const MemRange range =
        place_of(backend_->facts(), segment.executable, segment.address, segment.bytes.size(), what);
    pieces[range.space].push_back({segment.address, segment.bytes});
  }
  for (auto& [space, of_space] : pieces) {
    const bool code = space == Space::instr;
    const std::string what = program.name + (code ? ": its code" : ": its data");
    for (const MemoryImage& image : whole_words(std::move(of_space))) {
      write(place_of(backend_->facts(), code, image.address, image.bytes.size(), what), image.bytes, what);
    }
  }
}

std::uint32_t ElfRunner::read_word(const MemRange& range) {
  send(blocks::encode(blocks::ReadFrame{0, range}));
  const BackendFrame frame = response("a read of tohost");
  const blocks::HostFrame decoded = blocks::decode(frame.words);
  return static_cast<std::uint32_t>(std::get<blocks::ReadDataFrame>(decoded).data[0]);
}

ElfResult ElfRunner::run(const ElfProgram& program, double limit_us) {
  const ClusterFacts& facts = backend_->facts();
  if (program.entry % 4 != 0 || program.entry >= facts.instr_words * 4) {
    throw UserError(program.name + ": its entry " + hex(program.entry) +
                    " is no instruction's address: code of cluster '" + facts.name + "' lies below " +
                    hex(facts.instr_words * 4));
  }
  const std::string what = program.name + ": tohost";
  if (program.tohost % 4 != 0) throw UserError(what + " at " + hex(program.tohost) + " is no word's address");
  const MemRange tohost = place_of(facts, false, program.tohost, 4, what);
  load(program);
  write(tohost, std::array<std::uint8_t, 4>{}, what);
  const fabric::Time began = backend_->now();
  send(blocks::encode(blocks::StartFrame{0, 0, 1, 1, program.entry}));
  ElfResult result;
  for (;;) {
    result.tohost = read_word(tohost);
    result.microseconds = static_cast<double>(backend_->now() - began) * 1e-6;
    if (result.tohost != 0) break;
    if (!fault_.empty()) {
      result.reason = fault_;
      return result;
    }
    if (result.microseconds > limit_us) {
      result.reason = "nothing was written to tohost in " + number(limit_us) + " us of simulated time";
      return result;
    }
  }
  result.passed = result.tohost == 1 && result.microseconds <= limit_us;
  if (result.tohost == 1 && !result.passed) {
    result.reason = "it had passed when the host looked after " + number(result.microseconds) +
                    " us of simulated time, which is more than " + number(limit_us);
  } else if (!result.passed) {
    result.reason = (result.tohost & 1) != 0
                        ? "test " + std::to_string(result.tohost >> 1) + " failed"
                        : "tohost is " + hex(result.tohost) + ", which is no end of a test";
  }
  return result;
}

}  // namespace polyloom::overlay
