// SPDX-License-Identifier: Apache-2.0
// The processes of a run under mpirun; one process, and nothing to do, otherwise. Keeps MPI out of the rest.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fabric/fabric.h"

namespace polyloom::simulator {

class Processes {
 public:
  /// Joins the others if `use_mpi`. Throws UserError if this program was built without MPI.
  Processes(bool use_mpi, int& argc, char**& argv);
  ~Processes();

  int rank() const;
  int size() const;
  /// Divides a fabric's nodes; empty if there is one process.
  std::function<void(fabric::Fabric&)> partition() const;
  /// All processes' texts, in order of rank, on rank 0; empty elsewhere. All processes must call it.
  std::string gather(const std::string& text) const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace polyloom::simulator
