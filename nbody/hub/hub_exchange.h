// SPDX-License-Identifier: Apache-2.0
// Domains as processes of their own whose memory lies in the window of hubs (roles/hub): messages are remote
// writes, LETs are made by the hub on their way or by the host.
#pragma once

#include <vector>

#include "nbody/run/exchange.h"
#include "nbody/tree/let.h"
#include "polyloom/hub.h"

namespace polyloom::nbody {

enum class HubLet {
  kHub,   ///< the hub's DMA streams the tree through the LET operator, which writes to the peers
  kHost,  ///< the process makes the LETs and puts them
  kFull,  ///< the process puts its whole tree, to compare
};

/// How long a computation of the process takes in simulated time.
enum class ComputeTime {
  kFree,      ///< none: simulated time is that of communication, and repeats exactly
  kMeasured,  ///< what the process's own CPU clock says; does not repeat
};

/// One rank: node `rank` of the cluster. Contract beyond Exchange's: between two exchange_lets() lies another
/// collective call (a peer's flags are free by then).
/// Errors: HubError when something does not come, with what the hub reports.
class HubExchange final : public Exchange {
 public:
  /// `session` has one node; it outlives this object. `ranks`: nodes that take part, from 0 on.
  HubExchange(hub::Session& session, unsigned ranks, HubLet let, ComputeTime compute);

  unsigned rank() const override { return node_.number(); }
  unsigned size() const override { return ranks_; }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override;
  std::vector<Bytes> all_to_all(std::vector<Bytes> parts) override;
  std::span<NodeRecord> tree_memory(std::size_t count) override;
  bool carries_second() const override { return false; }
  std::vector<TreeView> exchange_lets(const TreeView& local, std::span<const Summary> summaries) override;
  double waited() const override { return waited_; }
  double simulated() override;

  /// Collective; the last call before the process waits for something outside of the simulation. Simulated
  /// time passes until all are here and then stands still until each has called again, so no process needs it
  /// meanwhile.
  void settle();

 private:
  class Call;
  void send_lets_by_hub(const TreeView& local, std::span<const Summary> summaries);
  void start_lanes(std::span<const unsigned> peers, const TreeView& local,
                   std::span<const Summary> summaries);
  void finish_lanes();
  bool travels(const Summary& from, const Summary& to) const;
  void send_lets_by_host(const TreeView& local, std::span<const Summary> summaries);
  void send(unsigned peer, std::span<const std::byte> bytes);
  Bytes receive(unsigned peer);
  std::uint64_t& word(std::uint64_t offset) const;

  hub::Session& session_;
  hub::Node& node_;
  const unsigned ranks_;
  const HubLet let_;
  const ComputeTime compute_;
  std::span<std::uint8_t> memory_;
  unsigned lanes_ = 0;          ///< of the hub's function
  bool lanes_started_ = false;  ///< and not yet seen to be done
  std::uint64_t message_ = 0;   ///< number of the last collective message
  double waited_ = 0, computed_from_ = 0;
};

}  // namespace polyloom::nbody
