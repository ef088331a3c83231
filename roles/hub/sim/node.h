// SPDX-License-Identifier: Apache-2.0
// A hub as a node of the fabric: the fast model, cycle-stepped while something moves.
#pragma once

#include <array>
#include <string>

#include "fabric/node.h"
#include "fabric/time.h"
#include "roles/hub/sim/local.h"
#include "roles/hub/sim/switch.h"

namespace polyloom::hub {

struct HubSite {
  std::string name;                              ///< "fpga.3": prefix of counters
  unsigned node = 0;                             ///< number in the window
  std::array<blocks::WireEnds, kLinks> links{};  ///< N, E, S, W; null ends where there is none
};

class HubNode final : public fabric::Node {
 public:
  HubNode(const HubParams& params, const HubSite& site);

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  std::string waiting_for() const override;
  /// Words of packets over its ports: there is nothing that a hub says twice.
  std::optional<std::uint64_t> work() const override { return switch_.beats(); }
  void counters(const fabric::CounterSink& sink) const override;
  void digest(fabric::Digest& digest) const override;

  // Looking in, for tests.
  Switch& network() { return switch_; }
  Local& local() { return local_; }

 private:
  Cycle next_edge() const;

  const HubParams params_;
  std::string name_;
  fabric::Clock clock_;
  Local local_;
  Switch switch_;
  Cycle edge_ = 0;  ///< all before it were stepped or left out
  Cycle due_ = 0;   ///< the next one that must be stepped without an arrival
  std::uint64_t edges_run_ = 0;
};

}  // namespace polyloom::hub
