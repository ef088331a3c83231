// SPDX-License-Identifier: Apache-2.0
// One rank of a simulation on a cluster of hubs, for a process of its own.
#pragma once

#include <string>

#include "nbody/hub/hub_exchange.h"
#include "nbody/run/simulation.h"

namespace polyloom::nbody {

/// Where the simulator is and how trees travel.
struct HubPlace {
  std::string socket;  ///< of the simulator
  unsigned rank = 0;   ///< node of the cluster, and client
  unsigned ranks = 1;
  HubLet let = HubLet::kHub;
  ComputeTime compute = ComputeTime::kFree;
};

/// All ranks' processes make one and call the same functions in the same order.
class HubRank {
 public:
  HubRank(const HubPlace& place, const Settings& settings, unsigned workers, Bodies bodies, Clock clock);

  const Simulation& simulation() const { return simulation_; }
  // As Simulation's; when all ranks have come to a call's end, simulated time stands still until the next
  // call.
  void advance(std::uint64_t steps);
  Diagnostics diagnostics(bool direct);
  ForceErrors force_errors(std::size_t samples);
  /// Simulated seconds since the simulator's start.
  double simulated() const { return 1e-12 * static_cast<double>(session_.now()); }
  /// Ends the run once every rank has called it: the simulator's JSON.
  std::string finish() { return session_.finish(); }

 private:
  hub::Session session_;
  HubExchange exchange_;
  Simulation simulation_;
};

}  // namespace polyloom::nbody
