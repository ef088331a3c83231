// SPDX-License-Identifier: Apache-2.0
#include "sim/options.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "fabric/cluster/units.h"
#include "fabric/command_line.h"
#include "fabric/error.h"
#include "fabric/run/record.h"

namespace polyloom::simulator {
namespace {

void read_engine(Options& options) {
  const std::string& word = options.engine;
  const std::string allowed = "serial, threads, threads:N, mpi, mpi:N (N from 1 to 1024)";
  const std::size_t colon = word.find(':');
  const std::string kind = word.substr(0, colon);
  if (colon != std::string::npos) {
    const std::string number = word.substr(colon + 1);
    if (kind == "serial" || number.empty() || number.size() > 4 ||
        number.find_first_not_of("0123456789") != std::string::npos || std::stoi(number) < 1 ||
        std::stoi(number) > 1024) {
      throw UserError("--engine = \"" + word + "\"; allowed: " + allowed);
    }
    options.threads = static_cast<unsigned>(std::stoi(number));
  }
  if (kind == "serial") {
    options.kind = fabric::EngineKind::serial;
  } else if (kind == "threads" || kind.empty()) {
    options.kind = fabric::EngineKind::threads;
  } else if (kind == "mpi") {
    options.kind = fabric::EngineKind::mpi;
    options.threads = 1;  // N is mpirun's business
  } else {
    throw UserError("--engine = \"" + word + "\"; allowed: " + allowed);
  }
}

/// Sets `time` if `text` is not empty.
template <typename Time>
void read_time(const std::string& option, const std::string& text, Time& time) {
  if (text.empty()) return;
  const auto parsed = fabric::parse_duration(text);
  if (!parsed) throw UserError(option + " = \"" + text + "\"; allowed: " + fabric::kDurationAllowed);
  time = *parsed;
}

/// "node,from,to": times with unit; without `to`, or without both, to the end.
fabric::WaveRequest read_wave(const std::string& text) {
  fabric::WaveRequest wave;
  const std::size_t first = text.find(','),
                    second = first == std::string::npos ? first : text.find(',', first + 1);
  wave.node = text.substr(0, first);
  const auto time = [&](const std::string& word) {
    const auto parsed = fabric::parse_duration(word);
    if (!parsed)
      throw UserError("--wave = \"" + text + "\": \"" + word +
                      "\" is no time; allowed: " + fabric::kDurationAllowed);
    return *parsed;
  };
  if (first != std::string::npos) wave.from = time(text.substr(first + 1, second - first - 1));
  if (second != std::string::npos) wave.to = time(text.substr(second + 1));
  if (wave.node.empty() || wave.to < wave.from) {
    throw UserError("--wave = \"" + text +
                    "\"; allowed: NODE,FROM,TO with FROM not after TO, e.g. \"fpga.0,0 us,20 us\"");
  }
  return wave;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& status) {
  Options options;
  options.command.assign(argv, argv + argc);
  std::string on, max_time, standstill;
  std::vector<std::string> waves;
  CLI::App app("Simulates a cluster of FPGAs for host programs, which start it by themselves.",
               "polyloom-sim");
  app.set_version_flag("--version",
                       std::string(fabric::polyloom_version()) + " " + fabric::polyloom_commit());
  app.add_option("--cluster", options.cluster, "cluster file, or the name of a shipped one")
      ->envname("POLYLOOM_CLUSTER")
      ->required();
  app.add_option("--on", on, "fidelity of every FPGA: sim, rtl")->envname("POLYLOOM_ON");
  app.add_option("--engine", options.engine, "serial, threads, threads:N, mpi (under mpirun); same results")
      ->envname("POLYLOOM_ENGINE");
  app.add_option("--max-cycles", options.max_cycles,
                 "stop after so many core clock cycles, and say who waits")
      ->check(fabric::not_negative)
      ->envname("POLYLOOM_MAX_CYCLES");
  app.add_option("--max-time", max_time, "stop after so much simulated time, e.g. \"10 ms\"");
  app.add_option(
         "--standstill", standstill,
         "stop, and say who waits, when nothing useful has happened for so much simulated time (20 ms, or a "
         "million core clock cycles if these take longer)")
      ->envname("POLYLOOM_STANDSTILL");
  app.add_option("--seed", options.seed, "of fault draws (1)")
      ->check(fabric::not_negative)
      ->envname("POLYLOOM_SEED");
  app.add_option("--run-dir", options.run_dir, "write a run record into this folder")
      ->envname("POLYLOOM_RUN_DIR");
  app.add_flag("--trace", options.trace, "add trace.json (Perfetto) to the run record")
      ->envname("POLYLOOM_TRACE");
  app.add_option(
         "--wave", waves,
         "NODE,FROM,TO: add the waves of this rtl node between these times, NODE.fst, to the run record; "
         "may be repeated (in the environment: joined by ;)")
      ->delimiter(';')
      ->expected(1)
      ->take_all()
      ->envname("POLYLOOM_WAVE");
  app.add_option("--clients", options.read.host_clients, "host programs to wait for on each host node")
      ->check(CLI::Range(1, 256));
  auto* fd = app.add_option("--connect-fd", options.connect_fd, "connected socket of the host program");
  auto* connect = app.add_option("--connect", options.connect, "socket at which the host program listens");
  auto* listen = app.add_option("--listen", options.listen, "socket at which to wait for host programs");
  fd->excludes(connect)->excludes(listen);
  connect->excludes(listen);
  app.add_flag("--show", options.show, "print the cluster with all defaults, and end");
  app.add_flag("--json", options.json, "with --show: as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UserError(fabric::command_line_text(&app, error));
    status = app.exit(error);  // --help, --version
    return std::nullopt;
  }
  if (!on.empty()) options.read.fidelity = fabric::parse_fidelity(on, "--on (or POLYLOOM_ON)");
  read_time("--max-time", max_time, options.max_time);
  read_time("--standstill", standstill, options.standstill);
  if (options.trace && options.run_dir.empty()) {
    throw UserError("--trace puts trace.json into the run record; give --run-dir (or POLYLOOM_RUN_DIR) too");
  }
  for (const std::string& wave : waves) {
    options.waves.push_back(read_wave(wave));
    for (std::size_t i = 0; i + 1 < options.waves.size(); ++i) {
      if (options.waves[i].node == options.waves.back().node) {
        throw UserError("--wave: node " + options.waves.back().node + " is named twice");
      }
    }
  }
  if (!options.waves.empty() && options.run_dir.empty() && !options.show) {
    throw UserError("--wave puts NODE.fst into the run record; give --run-dir (or POLYLOOM_RUN_DIR) too");
  }
  read_engine(options);
  return options;
}

}  // namespace polyloom::simulator
