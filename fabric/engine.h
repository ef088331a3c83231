// SPDX-License-Identifier: Apache-2.0
// Running a fabric: the engines, what can be asked of a run, and what it returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/time.h"

namespace polyloom::fabric {

class Fabric;

/// All engines give the same result, bit for bit.
enum class EngineKind {
  serial,   ///< the calling thread
  threads,  ///< nodes divided over threads of this process
  mpi,      ///< nodes divided over processes; needs an mpi::Session (fabric/mpi/session.h)
};

/// Why a run ended.
enum class RunEnd {
  node_stop,    ///< a node wants_stop()
  quiet,        ///< nothing will ever happen again
  standstill,   ///< something happens again and again, but nothing useful (EngineOptions::standstill)
  limit,        ///< simulated time reached the limit
  interrupted,  ///< EngineOptions::interrupt became true
};

struct EngineOptions {
  EngineKind kind = EngineKind::serial;
  unsigned threads = 1;  ///< of `threads`, and of each process in `mpi`
  Time limit = kNever;   ///< simulated time at which to stop
  /// Simulated time in which no node works (Node::work) after which the run ends. Nodes are asked kSurveys
  /// times in it.
  Time standstill = kNever;
  /// Called on the thread that called run() (rank 0 with MPI) with the simulated time, at most once in
  /// `progress_seconds` of wall clock.
  std::function<void(Time)> progress = {};
  double progress_seconds = 0.1;
  /// Looked at between windows; set it from a signal handler to end the run.
  const std::atomic<bool>* interrupt = nullptr;
  /// Called on the thread that called run() (rank 0 with MPI), between windows, when the run would end as
  /// node_stop or quiet, with the simulated time. It may change what nodes return from next_event() and
  /// wants_stop() (for no earlier time); true: they are asked again, and the run goes on.
  std::function<bool(RunEnd, Time)> go_on = {};
  /// Fill RunResult::counters.
  bool collect_counters = false;
};

struct RunResult {
  Time end = 0;              ///< simulated time: everything before it has happened
  std::uint64_t digest = 0;  ///< of all nodes' state and all links' traffic, whatever the engine
  RunEnd reason = RunEnd::quiet;
  bool stopped_by_limit = false;
  double wall_seconds = 0;
  std::uint64_t windows = 0;  ///< windows that were simulated; idle time takes none
  /// "NODE: what it waits for" of each node that waits for something.
  std::vector<std::string> waiting;
  /// The same if the run ended quiet or in a standstill, else empty: those nodes wait for what can never
  /// come.
  std::vector<std::string> stuck;
  /// Dotted name and value of each counter of nodes and links, in order of node and link (rank 0 with MPI).
  std::vector<std::pair<std::string, std::uint64_t>> counters;
};

/// Surveys in a standstill, all without any work, after which a run ends.
inline constexpr int kSurveys = 16;

/// Moves the fabric forward from its present time until a node wants to stop, nothing can happen any more, or
/// a limit. May be called again to go on. What a node's advance() throws comes out of here, in every engine
/// (with MPI on every rank: the original where it was thrown, a std::runtime_error or UserError with its text
/// elsewhere); the fabric cannot be run after that. Throws UserError if the options ask for what is not
/// there.
RunResult run(Fabric& fabric, const EngineOptions& options = {});

}  // namespace polyloom::fabric
