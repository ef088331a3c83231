// SPDX-License-Identifier: Apache-2.0
// Predicted time of a schedule: an alpha-beta model on its steps, critical path over nodes.
//
// The steps are laid out in time by timeline.h: instructions are fetched, pulses come back, streams start up
// and run at the rate of their slowest part. alpha and beta of a schedule are read off two predictions:
// nothing moved, and everything moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roles/collective/host/schedule/compile.h"

namespace polyloom::collective {

struct LinkCost {
  double latency = 0;  ///< last bit in to last bit out
  double rate = 0;     ///< payload
  bool operator==(const LinkCost&) const = default;
};

/// Of a cluster; all in seconds and bytes per second.
struct CostParameters {
  double cycle = 5e-9;          ///< of the node's clock
  double link_latency = 0;      ///< of a lane, the longest
  double lane_rate = 0;         ///< of a lane, the lowest
  double fastest_lane = 0;      ///< payload that no lane exceeds: a cluster file may give each link its own
  double memory_rate = 0;       ///< one read or write stream of a channel
  double read_latency = 0;      ///< request to first beat
  double write_latency = 0;     ///< last beat to acknowledgement
  unsigned operator_ports = 8;  ///< inputs of the slot: its trees are as deep for any number of them
  bool block_check = true;      ///< signature and check frames around each block
  unsigned step_cycles = 0;     ///< between steps, beyond the sequencer's own
  std::vector<std::vector<LinkCost>> lanes{};  ///< [rank][lane] where they differ; empty: all as above
  std::size_t program_size = SIZE_MAX;         ///< instructions that a node holds
  double reload = 0;  ///< host: from the end of a part of a longer program to the start of the next

  LinkCost link(int rank, int lane) const {
    if (lanes.empty()) return {link_latency, lane_rate};
    return lanes.at(static_cast<std::size_t>(rank)).at(static_cast<std::size_t>(lane));
  }
  double pulse() const;       ///< `go` at one end to permission at the other
  double first_hop() const;   ///< begin of R# to the beat at the far end of a lane
  double next_hop() const;    ///< further cut-through hop
  double completion() const;  ///< beat at a sink to the step's end and the next `go`
};

/// Seconds from the end of a barrier to the last rank's end. scale 0: as if no byte had to be moved. Loading
/// parts of a program that a node does not hold whole is left out: loads_between().
double predict(const Schedule& schedule, const Topology& topology, const CostParameters& parameters,
               double scale = 1.0);
/// How often a host must load a further part of a rank's program before the operation ends, of all ranks; 0:
/// every node holds its whole program. When that happens depends on the host's turns, so such an operation
/// has no predicted time.
std::size_t loads_between(const Schedule& schedule, const Topology& topology, const NodeShape& shape,
                          std::size_t program_size);
/// What goes before an operation that is timed: a barrier, which lets the latest start decide, and pulses on
/// all lanes, after which (three nodes or more) all ranks begin within a few cycles.
Schedule prelude(const Topology& topology, const NodeShape& shape);

struct Choice {
  std::string algorithm;
  double seconds = 0, alpha = 0;  ///< alpha: the part that does not depend on size
  std::size_t loads = 0;          ///< loads_between(); then the seconds are a guess
  std::size_t steps = 0;
  std::uint64_t busiest_lane = 0;  ///< bytes of the lane that carries most
  Plan plan{};
};
/// Every applicable algorithm on its preferred layouts, quickest first (equal: the paper's first).
std::vector<Choice> rank_algorithms(const Situation& situation, const CostParameters& parameters);
/// Table for people: one line an algorithm, with the parameters of the model.
std::string explain(const std::vector<Choice>& choices, const CostParameters& parameters);

/// nccl-tests' convention: bus bandwidth = algorithm bandwidth x factor. `bytes` of algorithm bandwidth are
/// those of the whole vector (all_gather, reduce_scatter, all_to_all, scatter, gather: all ranks' blocks of
/// one buffer).
double bus_factor(Operation operation, int ranks);

}  // namespace polyloom::collective
