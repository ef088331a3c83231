// SPDX-License-Identifier: Apache-2.0
// FPGA ranks as the manager sees them: registers by UDP (PROTOCOL.md, "Management").
#pragma once

#include <vector>

#include "roles/mpi/arch/messages.h"
#include "roles/mpi/runtime/cpu/station.h"

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

/// All functions throw UserError if an FPGA does not respond. Several FPGAs are asked at the same time.
class Boards {
 public:
  using Values = std::vector<std::uint64_t>;

  Boards(Station& station, const Limits& limits) : station_(station), limits_(limits) {}

  /// Everything before the start. `clock_hz`: by rank. Throws UserError if a node cannot hold the job.
  void configure(const std::vector<unsigned>& ranks, const std::vector<std::uint64_t>& clock_hz);
  void start(const std::vector<unsigned>& ranks) { write(ranks, 0x001, {1}); }
  void stop(const std::vector<unsigned>& ranks) { write(ranks, 0x001, {2}); }
  /// One for each of the ranks.
  std::vector<BoardCounters> counters(const std::vector<unsigned>& ranks);
  /// Those whose kernels have returned or halted.
  std::vector<unsigned> done(const std::vector<unsigned>& ranks);
  /// Nothing if the kernel does not wait for its engine.
  std::optional<Wait> waiting(unsigned rank);

 private:
  struct Question {
    unsigned rank;
    Management what;
  };
  /// Responses in the order of the questions, which are for different FPGAs.
  std::vector<Management> query(std::vector<Question> questions);
  /// The same registers of all of them.
  void write(const std::vector<unsigned>& ranks, std::uint32_t first, const Values& values);
  std::vector<Values> read(const std::vector<unsigned>& ranks, std::uint32_t first, unsigned count);

  Station& station_;
  Limits limits_;
  std::uint16_t seq_ = 0;
};

}  // namespace polyloom::mpi
