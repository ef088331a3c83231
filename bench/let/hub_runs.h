// SPDX-License-Identifier: Apache-2.0
// LETs over a cluster of hubs, in simulated time. The cluster is POLYLOOM_CLUSTER; this process is all its
// hosts.
#pragma once

#include <span>
#include <vector>

#include "bench/let/domains.h"
#include "polyloom/hub.h"

namespace polyloom::bench {

struct HubRun {
  double seconds = 0;       ///< simulated, from the first command to the last LET's flag in its memory
  std::uint64_t bytes = 0;  ///< of all LETs, or trees
  std::vector<std::vector<std::uint64_t>> pairs;  ///< [from][to] bytes
  bool equal = true;                              ///< what arrived is what the host's make_let gives
};

/// Accelerator 0 pushes its tree into its hub's function, which writes the LET to accelerator 1's memory.
/// `padded`: the paper's form: padded records, parents before children.
HubRun push_to_neighbour(hub::Session& session, const DomainTree& tree, const nbody::Target& target,
                         bool padded);

/// Simulated seconds in which `bytes` of accelerator 0's memory come to another one's: its own node's host,
/// or accelerator 1.
enum class CopyTo { kOwnHost, kNeighbour };
double copy_seconds(hub::Session& session, std::uint64_t bytes, CopyTo to);

enum class Exchange { kLets, kTrees };
/// Every node gives every other the LET of its tree (its hub's DMA reads the tree once), or the whole tree.
HubRun exchange_all(hub::Session& session, std::span<const DomainTree> trees, Exchange what);

}  // namespace polyloom::bench
