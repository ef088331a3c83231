// SPDX-License-Identifier: Apache-2.0
// What a communicator must know of its cluster, from the JSON that the simulator sends
// (fabric/cluster/dump.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roles/collective/host/schedule/cost.h"

namespace polyloom::collective {

struct ClusterFacts {
  Topology topology;
  std::vector<std::string> names;          ///< [rank] "fpga.3"
  std::vector<std::vector<int>> far_port;  ///< [rank][lane] port number that a hello names
  NodeShape shape;
  unsigned partitions = 1;       ///< partition operators of a node, side by side
  unsigned record_beats = 1024;  ///< beats of keys an input that a partition remembers
  CostParameters parameters;
  double clock_hz = 200e6;
  std::uint64_t channel_bytes = 0;
  bool stored = true;
  bool paper_schedules = false;  ///< [collective] schedule = "paper"
};

/// FPGAs of role "collective" in order are the ranks. Throws UserError if they are not alike or not joined as
/// collectives need it.
ClusterFacts read_facts(const std::string& json);

}  // namespace polyloom::collective
