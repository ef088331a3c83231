// SPDX-License-Identifier: Apache-2.0
// Runs bare programs, each on thread 0 of a core of board (0,0), and waits for what each writes to `tohost`.
//
// A program is loaded segment by segment (instruction memory below 0x8000, scratchpad of its tile, memory
// slice of its tile), started, and watched through the host link: the host reads `tohost` until it is not
// zero, as testers of RISC-V cores do: 1 is "passed", 2n + 1 is "test n failed". Every program gets an
// instruction memory that none had before: one that has ended may still run in a loop, and a thread's cache
// keeps lines of what it ran.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "roles/overlay/host/backend.h"

namespace polyloom::overlay {

struct ElfSegment {
  std::uint32_t address = 0;
  std::vector<std::uint8_t> bytes;
};

struct ElfProgram {
  std::string name;
  std::uint32_t entry = 0;
  std::uint32_t tohost = 0;  ///< address of a word in the scratchpad or in a memory slice
  std::vector<ElfSegment> segments;
};

struct ElfResult {
  bool passed = false;
  std::uint32_t tohost = 0;
  std::string reason;       ///< why not; empty if passed
  double microseconds = 0;  ///< simulated, from start to the read that saw the end
};

/// Not thread safe. Throws UserError if a program cannot be loaded, SimulatorError if the run ends.
class ElfRunner {
 public:
  explicit ElfRunner(std::unique_ptr<HostBackend> backend);

  /// Programs that can still be run: one an instruction memory.
  unsigned left() const { return memories_ - next_; }
  /// Precondition: left() != 0. Gives up after `limit_us` of simulated time.
  ElfResult run(const ElfProgram& program, double limit_us);
  std::string finish() { return backend_->finish(); }

 private:
  struct Place {
    unsigned core = 0;  ///< dense number
    unsigned tile = 0;
    unsigned memory = 0;       ///< for instructions
    std::uint32_t thread = 0;  ///< global id
    blocks::Space slice{};     ///< memory slice
  };
  Place take_place();
  void load(const ElfProgram& program, const Place& place);
  void load_segment(const ElfSegment& segment, const Place& place);
  void write(const Place& place, const blocks::MemRange& range, const std::vector<std::uint8_t>& bytes);
  std::uint32_t read_word(std::uint32_t address, const Place& place);
  BackendFrame answer(const Place& place);

  std::unique_ptr<HostBackend> backend_;
  const unsigned memories_;  ///< for instructions: cores share them in pairs
  unsigned next_ = 0;
  std::string fault_;  ///< of the program that runs
};

}  // namespace polyloom::overlay
