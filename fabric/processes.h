// SPDX-License-Identifier: Apache-2.0
// What an engine of several processes adds to one of a single process. Implemented by fabric/mpi.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/worker.h"

namespace polyloom::fabric {

class Fabric;
class Team;

/// All functions are collective: each process calls them in the same order.
class Processes {
 public:
  virtual ~Processes() = default;
  /// Carries the segments that this window sent to other processes, and merges all outcomes. The merged
  /// `error` is set if the failed node is in this process.
  virtual Outcome exchange(Team& team, const Window& window, const Outcome& mine) = 0;
  /// Replaces each value by its sum over all processes.
  virtual void sum(std::vector<std::uint64_t>& values) = 0;
  /// The texts of all processes, by rank.
  virtual std::vector<std::string> gather(const std::string& mine) = 0;
};

/// Processes of the run on this machine: its processors are shared among them, which decides whether waiting
/// threads may spin. Set by the MPI session.
inline unsigned processes_on_machine = 1;

/// Makes the Processes of a run over a fabric. Null while no MPI session exists.
using ProcessesFactory = std::function<std::unique_ptr<Processes>(Fabric&)>;
ProcessesFactory& processes_factory();

}  // namespace polyloom::fabric
