// SPDX-License-Identifier: Apache-2.0
// HostLink over boards: memories, programs, starts.
#include <config.h>

#include <algorithm>
#include <cstring>

#include "fabric/error.h"
#include "roles/overlay/arch/memory_map.h"
#include "roles/overlay/host/board_core.h"
#include "roles/overlay/host/boot_image.h"

namespace polyloom::overlay {
namespace {

using blocks::MemRange;
using blocks::Space;

constexpr std::uint64_t kDmaChunk = 1u << 20;  ///< a write travels in frames of at most this size
constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxUnconfirmed = 64ull << 20;  ///< bytes of writes under way before we wait

}  // namespace

// ---- memories

void BoardCore::write_range(unsigned board, Space space, std::uint32_t target, std::uint32_t address,
                            const std::uint8_t* data, std::uint64_t bytes) {
  const bool instr = space == Space::instr;
  while (bytes > 0) {
    const std::uint64_t chunk = std::min(bytes, kDmaChunk);
    blocks::WriteFrame frame;
    frame.range = MemRange{space, target, address, static_cast<std::uint32_t>(chunk)};
    const auto words = blocks::pack_bytes({data, chunk});
    frame.data = words;
    unconfirmed_frames_ += 1;
    unconfirmed_bytes_ += chunk;
    post(board, blocks::encode(frame));
    if (unconfirmed_bytes_ > kMaxUnconfirmed) settle();
    data += chunk;
    bytes -= chunk;
    address += static_cast<std::uint32_t>(instr ? chunk / 4 : chunk);
  }
}

/// What no slice has, a board would refuse in words of the protocol.
void BoardCore::require_memory(const std::string& what, std::uint32_t address, std::uint64_t bytes) const {
  const auto within = [&](std::uint64_t begin, std::uint64_t end) {
    return address >= begin && address <= end && bytes <= end - address;
  };
  if (within(kSramABase, kDramEnd) || within(kInterleavedBase, kAddresses)) return;
  throw UserError(what + ": " + std::to_string(bytes) + " bytes at " + hex(address) +
                  " lie in no memory of a board: it has " + hex(kSramABase) + " to " + hex(kDramEnd - 1) +
                  " (SRAMs, DRAM) and " + hex(kInterleavedBase) + " to 0xffffffff (DRAMs interleaved)");
}

namespace {

void require_slice(const char* call, const ClusterFacts& facts, const SliceAt& at) {
  if (at.slice < facts.slices) return;
  throw UserError(std::string(call) + ": no memory slice " + std::to_string(at.slice) + ": a board has " +
                  std::to_string(facts.slices));
}

Space space_of(const SliceAt& at) { return at.slice == 0 ? Space::slice0 : Space::slice1; }

}  // namespace

void BoardCore::write(const char* call, const SliceAt& at, std::uint32_t address, const void* data,
                      std::uint64_t bytes) {
  const unsigned on = board(at.x, at.y);
  require_slice(call, facts(), at);
  require_memory(call, address, bytes);
  write_range(on, space_of(at), 0, address, static_cast<const std::uint8_t*>(data), bytes);
}

void BoardCore::read(const char* call, const SliceAt& at, std::uint32_t address, void* data,
                     std::uint64_t bytes) {
  const unsigned on = board(at.x, at.y);
  require_slice(call, facts(), at);
  require_memory(call, address, bytes);
  settle();
  auto* to = static_cast<std::uint8_t*>(data);
  while (bytes > 0) {
    const std::uint64_t chunk = std::min(bytes, kDmaChunk);
    blocks::ReadFrame frame;
    frame.range = MemRange{space_of(at), 0, address, static_cast<std::uint32_t>(chunk)};
    read_done_ = false;
    post(on, blocks::encode(frame));
    while (!read_done_) wait_for_frames();
    std::memcpy(to, read_data_.data(), std::min<std::uint64_t>(chunk, read_data_.size()));
    to += chunk;
    bytes -= chunk;
    address += static_cast<std::uint32_t>(chunk);
  }
}

// ---- programs

std::vector<MemoryImage> BoardCore::read_code(const std::string& file) const {
  if (boot_image().empty()) {
    throw UserError(
        "this HostLink was built without a RISC-V compiler and holds no boot image: install the Debian "
        "package "
        "gcc-riscv64-unknown-elf, then build again");
  }
  auto images = read_verilog_hex(file);
  const std::uint64_t limit = 4ull * facts().instr_words;
  for (const MemoryImage& image : images) {
    if (image.address < TinselMaxBootImageBytes) {
      throw UserError("device program " + file + " has code at " + hex(image.address) + ": below " +
                      hex(TinselMaxBootImageBytes) + " lies the boot image. Link its text at that address");
    }
    if (image.address + image.bytes.size() > limit) {
      throw UserError(
          "device program " + file + " ends at byte " + std::to_string(image.address + image.bytes.size()) +
          ": an instruction memory of cluster '" + facts().name + "' has " + std::to_string(limit) +
          ". Make it smaller, or raise instr_words in the cluster file's [overlay] table");
    }
  }
  return images;
}

std::vector<MemoryImage> BoardCore::read_data(const std::string& file) const {
  auto images = read_verilog_hex(file);
  for (const MemoryImage& image : images)
    require_memory("device program data " + file, image.address, image.bytes.size());
  return images;
}

void BoardCore::load_instructions(unsigned board, std::uint32_t target,
                                  const std::vector<MemoryImage>& images) {
  std::vector<std::uint8_t> boot(boot_image().begin(), boot_image().end());
  boot.resize((boot.size() + 3) / 4 * 4, 0);
  write_range(board, Space::instr, target, 0, boot.data(), boot.size());
  for (const MemoryImage& image : images) {
    write_range(board, Space::instr, target, image.address / 4, image.bytes.data(), image.bytes.size());
  }
}

/// A program does not wait at its end for the next one: threads whose main has returned are off, but the host
/// cannot tell, and others go on for ever. New instructions under a thread that runs would give wrong
/// results.
void BoardCore::refuse_if_started(const std::string& file, unsigned board, unsigned memory) const {
  const auto found = started_.find({board, memory});
  if (found == started_.end()) return;
  throw UserError("device program " + file + " cannot be loaded: core " +
                  std::to_string(core_of_dense(facts(), found->second)) + " of " + board_name(board) +
                  " executes from that instruction memory since its start, and no program waits at its end " +
                  "to be replaced. Load before the first start; run each further program from a process of " +
                  "its own");
}

/// Two cores of a tile execute from one memory, so one of them would run what was loaded for the other. Known
/// when it starts: until then either may still be given the other's program.
void BoardCore::refuse_if_another_program(unsigned board, unsigned core) const {
  const auto given = code_of_core_.find({board, core});
  const auto loaded = code_of_memory_.find({board, memory_of(core)});
  const Code& own = given != code_of_core_.end() ? given->second : code_;
  if (loaded == code_of_memory_.end() || own.file.empty() || loaded->second.images == own.images) return;
  const unsigned other = core % facts().cores_per_tile % 2 == 0 ? core + 1 : core - 1;
  throw UserError("cores " + std::to_string(core_of_dense(facts(), std::min(core, other))) + " and " +
                  std::to_string(core_of_dense(facts(), std::max(core, other))) + " of " + board_name(board) +
                  " share an instruction memory, so they cannot run two programs: " + own.file +
                  " was loaded for core " + std::to_string(core_of_dense(facts(), core)) + ", and " +
                  loaded->second.file +
                  " over it for the other. Give the second program a core of another pair");
}

void BoardCore::load_all(const std::string& code, const std::string& data) {
  for (const auto& [where, _] : started_) refuse_if_started(code, where.first, where.second);
  const auto code_images = read_code(code);
  const auto data_images = read_data(data);
  for (unsigned b = 0; b < facts().boards(); ++b) {
    load_instructions(b, blocks::kBroadcast, in_use(b) ? code_images : std::vector<MemoryImage>{});
    if (!in_use(b)) continue;
    for (unsigned slice = 0; slice < facts().slices; ++slice) {
      for (const MemoryImage& image : data_images) {
        write_range(b, slice == 0 ? Space::slice0 : Space::slice1, 0, image.address, image.bytes.data(),
                    image.bytes.size());
      }
    }
  }
  code_ = {code, code_images};
  code_of_memory_.clear();
  code_of_core_.clear();
}

void BoardCore::load_code(const std::string& code, CoreAt core) {
  const unsigned on = board(core.x, core.y), dense = dense_core(facts(), core.core),
                 memory = memory_of(dense);
  refuse_if_started(code, on, memory);
  const Code loaded{code, read_code(code)};
  load_instructions(on, memory, loaded.images);
  code_of_core_[{on, dense}] = code_of_memory_[{on, memory}] = loaded;
}

void BoardCore::load_data(const std::string& data, CoreAt core) {
  const SliceAt slice{core.x, core.y, slice_of_core(facts(), core.core)};
  for (const MemoryImage& image : read_data(data)) {
    write("HostLink::loadDataViaCore", slice, image.address, image.bytes.data(), image.bytes.size());
  }
}

void BoardCore::prepare(CoreAt core, int threads) {
  if (threads < 1 || threads > static_cast<int>(facts().threads_per_core)) {
    throw UserError("HostLink::startOne: " + std::to_string(threads) + " threads: a core has 1 to " +
                    std::to_string(facts().threads_per_core));
  }
  prepared_[{board(core.x, core.y), dense_core(facts(), core.core)}] = static_cast<unsigned>(threads);
}

// All threads of a board are started by one command, and all boards are told in one call.
void BoardCore::start(const std::vector<Start>& starts) {
  for (const Start& s : starts) {
    for (unsigned core = s.first_core; core < s.first_core + s.cores; ++core) {
      if (s.pc != kParkAddress) refuse_if_another_program(s.board, core);
    }
  }
  settle();
  enter("start", backend_->now());
  first_result_.reset();
  running_ = 0;
  for (const Start& s : starts) {
    blocks::StartFrame frame;
    frame.first_core = static_cast<std::uint16_t>(s.first_core);
    frame.cores = static_cast<std::uint16_t>(s.cores);
    frame.threads = static_cast<std::uint8_t>(s.threads);
    frame.pc = s.pc;
    post(s.board, blocks::encode(frame));
    for (unsigned core = s.first_core; core < s.first_core + s.cores; ++core)
      started_.try_emplace({s.board, memory_of(core)}, core);
  }
  for (const Start& s : starts) {
    for (const std::uint32_t reg : {blocks::reg::cycle, blocks::reg::clock_hz}) {
      post(s.board, blocks::encode(blocks::RegReadFrame{0, reg}));
      ++awaited_registers_;
    }
  }
  ring();
}

void BoardCore::go_all() {
  if (!all_prepared_ && prepared_.empty())
    throw UserError("HostLink::go: nothing to start; call boot() first");
  std::vector<Start> starts;
  if (all_prepared_) {
    for (unsigned b = 0; b < facts().boards(); ++b) {
      starts.push_back({b, 0, facts().cores(), facts().threads_per_core, in_use(b) ? 0 : kParkAddress});
    }
  }
  for (const auto& [where, threads] : prepared_) starts.push_back({where.first, where.second, 1, threads, 0});
  start(starts);
  all_prepared_ = false;
  prepared_.clear();
}

void BoardCore::go(CoreAt core) {
  const auto found = prepared_.find({board(core.x, core.y), dense_core(facts(), core.core)});
  if (found == prepared_.end()) {
    throw UserError("HostLink::goOne: core " + std::to_string(core.core) +
                    " was not prepared; call startOne() first");
  }
  start({{found->first.first, found->first.second, 1, found->second, 0}});
  prepared_.erase(found);
}

}  // namespace polyloom::overlay
