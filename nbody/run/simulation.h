// SPDX-License-Identifier: Apache-2.0
// One rank's part of a simulation: leapfrog with a shared step over a Domain and an Exchange.
#pragma once

#include "nbody/run/diagnostics.h"
#include "nbody/run/domain.h"
#include "nbody/run/exchange.h"
#include "nbody/run/settings.h"

namespace polyloom::nbody {

/// Where a simulation stands, its bodies aside. Together with the bodies of all ranks, in their order, it
/// determines every later step bit by bit (on processors of one kind: kernels().name).
struct Clock {
  std::uint64_t step = 0;
  double time = 0;
  bool forces_known = false;  ///< bodies.acceleration and .potential belong to their positions
};

/// Node counts of the last force evaluation, of this rank.
struct TreeStats {
  std::uint64_t bodies = 0, nodes = 0;
  std::uint64_t let_nodes = 0;   ///< received
  std::uint64_t full_nodes = 0;  ///< of the trees that they were made from
  WalkStats walk;
};

/// All functions but the plain getters are collective: every rank calls them in the same order.
class Simulation {
 public:
  /// Takes this rank's bodies. If clock.forces_known is not set, they may lie with any rank: they are given
  /// to their domains first. Checks bodies and settings (UserError).
  Simulation(const Settings& settings, Exchange& exchange, unsigned workers, Bodies bodies, Clock clock);

  /// Computes forces if they are not known.
  void start();
  /// Kick, drift, forces, kick.
  void step();
  /// Of all bodies; the same on every rank. `direct`: potential energy by direct summation instead of the
  /// tree's.
  Diagnostics diagnostics(bool direct);
  /// Errors of the present forces against direct summation on about `samples` bodies of all.
  ForceErrors force_errors(std::size_t samples);

  const Clock& clock() const { return clock_; }
  const Bodies& bodies() const { return domain_.bodies; }
  const PhaseClock& phases() const { return phases_; }
  const TreeStats& stats() const { return stats_; }

 private:
  void decompose();
  void evaluate();
  void kick(double dt);
  void drift(double dt);
  void lap(Phase phase);

  const Settings settings_;
  Exchange& exchange_;
  fabric::Pool pool_;
  Domain domain_;
  Clock clock_;
  Clock first_;  ///< since when a step takes settings_.dt
  PhaseClock phases_;
  TreeStats stats_;
  double waited_ = 0, simulated_ = 0;
};

}  // namespace polyloom::nbody
