// SPDX-License-Identifier: Apache-2.0
// Running one fabric in several processes joined by MPI. Link polyloom_fabric_mpi to have it.
#pragma once

#include <vector>

#include "fabric/fabric.h"

namespace polyloom::fabric::mpi {

/// Holds MPI for the life of the program; make one in main() before fabrics and end it after them. While it
/// lives, run() accepts EngineKind::mpi. Every process builds the same Fabric (same names, links, order),
/// calls partition(), sets the nodes that it owns(), and calls run() with the same options; each gets the
/// same result. When the stack unwinds through a session before or after a run, MPI is not ended, so that
/// mpirun ends the other processes instead of leaving them to wait.
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Gives each node an owner: equal shares of weight in order of id, so that neighbours tend to stay
  /// together. Call after add_node and before set_node.
  void partition(Fabric& fabric) const;

 private:
  int rank_ = 0, size_ = 1;
  int exceptions_;
};

/// The division that partition() makes: nodes' hints to ranks.
std::vector<int> contiguous_shares(const std::vector<NodeHints>& nodes, int ranks);

}  // namespace polyloom::fabric::mpi
