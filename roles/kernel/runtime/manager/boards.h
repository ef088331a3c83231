// SPDX-License-Identifier: Apache-2.0
// FPGA ranks as the manager sees them: registers by UDP (PROTOCOL.md, "Management").
#pragma once

#include <vector>

#include "roles/kernel/runtime/cpu/messages.h"
#include "roles/kernel/runtime/cpu/station.h"

namespace polyloom::mpi {

struct Limits {
  Time timeout = 1'000'000'000;  ///< of one request
  unsigned tries = 20;
};

struct BoardCounters {
  std::uint64_t value[16] = {};
};
/// Names of the registers from 0x010 on; nullptr: not used.
extern const char* const kBoardCounterNames[16];

class Boards {
 public:
  Boards(Station& station, const Limits& limits) : station_(station), limits_(limits) {}

  /// Registers of one FPGA rank. Throw UserError if it does not answer.
  void write(unsigned rank, std::uint32_t first, const std::vector<std::uint64_t>& values);
  std::vector<std::uint64_t> read(unsigned rank, std::uint32_t first, unsigned count);

  /// Everything before the start. Throws UserError if the node cannot hold the job.
  void configure(unsigned rank, std::uint64_t clock_hz);
  void start(unsigned rank) { write(rank, 0x001, {1}); }
  void stop(unsigned rank) { write(rank, 0x001, {2}); }
  BoardCounters counters(unsigned rank);
  /// The kernel has returned or halted.
  bool is_done(unsigned rank) { return (read(rank, 0x002, 1)[0] & 2) != 0; }
  /// Nothing if the kernel does not wait for its engine.
  std::optional<Wait> waiting(unsigned rank);

 private:
  Management ask(unsigned rank, Management request);

  Station& station_;
  Limits limits_;
  std::uint16_t seq_ = 0;
};

}  // namespace polyloom::mpi
