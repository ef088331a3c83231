// SPDX-License-Identifier: Apache-2.0
// Runs one bare program on thread 0 of core 0 of board (0,0), and waits for what it writes to `tohost`.
//
// The program is loaded segment by segment to where a thread sees it, started, and watched through the host
// link: the host reads `tohost` until it is not zero, as testers of RISC-V cores do: 1 is "passed", 2n + 1 is
// "test n failed". A cluster runs one program and no other: a program that is given up, or loops on after its
// end, may still write to every memory that the next one would be judged by, and no frame stops a thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "roles/overlay/host/backend.h"

namespace polyloom::overlay {

struct ElfSegment {
  std::uint32_t address = 0;
  bool executable = false;
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

/// Where core 0 of a board finds the `bytes` bytes at `address`: code in the instruction memory, data in the
/// scratchpad or a memory slice; two address spaces, which overlap where an instruction memory has more than
/// 32 KiB. Throws UserError, which begins with `what`, if there is no such place.
blocks::MemRange place_of(const ClusterFacts& facts, bool executable, std::uint32_t address,
                          std::uint64_t bytes, const std::string& what);

/// Not thread safe. Throws UserError if the program cannot be loaded, SimulatorError if the run ends.
class ElfRunner {
 public:
  explicit ElfRunner(std::unique_ptr<HostBackend> backend) : backend_(std::move(backend)) {}

  /// Called once. A program whose end is not seen within `limit_us` of simulated time has not passed.
  ElfResult run(const ElfProgram& program, double limit_us);
  std::string finish() { return backend_->finish(); }

 private:
  void load(const ElfProgram& program);
  void write(const blocks::MemRange& range, std::span<const std::uint8_t> bytes, const std::string& what);
  std::uint32_t read_word(const blocks::MemRange& range);
  void send(std::vector<std::uint64_t> words) {
    const BackendFrame frame{0, std::move(words)};
    backend_->send({&frame, 1});
  }
  BackendFrame response(const std::string& what);

  std::unique_ptr<HostBackend> backend_;
  std::deque<BackendFrame> received_;  ///< not yet looked at
  std::string fault_;                  ///< of the program
};

}  // namespace polyloom::overlay
