// SPDX-License-Identifier: Apache-2.0
// Where programs run and buffers lie: a simulated cluster, or this process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "polyloom/collectives.h"
#include "roles/collective/host/runtime/cluster_facts.h"

namespace polyloom::collective {

inline constexpr std::uint8_t kBeginMark = 0, kEndMark = 1;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual void write(int rank, unsigned channel, std::uint64_t base, std::span<const std::uint8_t> bytes) = 0;
  virtual void read(int rank, unsigned channel, std::uint64_t base, std::span<std::uint8_t> bytes) = 0;
  /// The memory itself; empty if it cannot be reached.
  virtual std::span<std::uint8_t> view(int rank, unsigned channel, std::uint64_t base,
                                       std::uint64_t bytes) = 0;
  /// Runs one program a rank to the end, and fetches so many marks and status words.
  virtual std::vector<NodeRun> run(const std::vector<std::vector<Instruction>>& programs,
                                   const RunOptions& options) = 0;
  virtual void away() {}
  virtual void back() {}
};

std::unique_ptr<Backend> make_native_backend(const Topology& topology, const NodeShape& shape,
                                             std::uint64_t channel_bytes);
/// A cluster's description as JSON, without starting it (fabric/cluster/dump.h). Throws UserError.
std::string show_cluster(const std::string& cluster);
/// Starts or joins the simulator; fills in what it says of the cluster, checks the wiring.
std::unique_ptr<Backend> make_cluster_backend(const Options& options, ClusterFacts& facts);

}  // namespace polyloom::collective
