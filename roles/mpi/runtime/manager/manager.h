// SPDX-License-Identifier: Apache-2.0
// Rank `size` of a job: sets FPGAs up, starts all, hears what they print and how they end, and says so in
// lines of JSON:
//
//   {"event": "start", "ps"}                      all ranks may run
//   {"event": "output", "rank", "stream", "text"} of FPGA ranks; the text by json_bytes (fabric/json_text.h)
//   {"event": "exit", "rank", "code", "ps"}       a rank has ended
//   {"event": "abort", "rank", "code", "text"}    a rank ends the job
//   {"event": "deadlock", "waits": [{"rank", "for", "call", "text"}], "circle": [ranks], "note"}
//   {"event": "end", "simulated_ps", "counters": {rank: {name: value}}, "run"}
//   {"event": "error", "text", "consequence"}     consequence: because another program of the job ended
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "roles/mpi/runtime/manager/library.h"
#include "roles/mpi/runtime/manager/watch.h"

namespace polyloom::mpi {

enum class Outcome { well = 0, failed = 1, deadlock = 3 };

class Manager {
 public:
  /// `job` outlives the manager.
  explicit Manager(const Job& job);

  Outcome run();

 private:
  void say(const nlohmann::json& event);
  void start();
  bool hear();
  void hear_record(std::uint16_t from, int tag, std::vector<std::byte> data);
  void hear_end(std::uint16_t from, std::int32_t code);
  void hear_abort(std::uint16_t from, std::span<const std::byte> data);
  void say_deadlock();
  void end();
  bool all_ended() const;

  const Job& job_;
  Station station_;
  Boards boards_;
  Watch watch_;
  std::vector<unsigned> fpgas_;  ///< ranks
  std::vector<std::uint64_t> clock_hz_;
  std::map<unsigned, Library> libraries_;  // of FPGA ranks
  std::vector<std::string> arguments_;
  std::vector<bool> ended_;
  int worst_code_ = 0;
  bool aborted_ = false;
  Time began_ = 0;
};

}  // namespace polyloom::mpi
