// SPDX-License-Identifier: Apache-2.0
// The command line of polyloom-sim, with the environment as defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/cluster/reader.h"
#include "fabric/engine.h"
#include "fabric/wave.h"

namespace polyloom::simulator {

struct Options {
  std::string cluster;  ///< name or path
  fabric::ReadOptions read;
  std::string engine;  ///< as given: "", "serial", "threads:N", "mpi" ...
  fabric::EngineKind kind = fabric::EngineKind::serial;
  unsigned threads = 0;          ///< of EngineKind::threads; 0 = as many as are of use
  std::uint64_t max_cycles = 0;  ///< of the first FPGA's core clock; 0 = no limit
  fabric::Time max_time = fabric::kNever;
  /// Without any work in it a run stands still. The usual one is longer than a link that loses nine frames of
  /// ten needs for a message, and a second or so of a model's time.
  std::optional<fabric::Time> standstill;
  std::uint64_t seed = 1;
  std::string run_dir;
  bool trace = false, show = false, json = false;
  std::vector<fabric::WaveRequest> waves;  ///< without paths
  int connect_fd = -1;                     ///< of the program that started us
  std::string connect, listen;             ///< addresses of sockets
  std::vector<std::string> command;
};

/// Parses; nullopt with an exit status when there is nothing more to do (--help, --version). Throws
/// UserError.
std::optional<Options> parse_options(int argc, char** argv, int& status);

}  // namespace polyloom::simulator
