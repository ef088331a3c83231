// SPDX-License-Identifier: Apache-2.0
// The host node of hubs: the clients' host node (fabric/host) and an endpoint at each of its links. A
// client's frame to link k is a command to endpoint k (endpoint_frames.h); packets on the wire never reach a
// client.
//
// How: inside a window it goes from event to event: what the endpoints do before time t, then the clients'
//   calls that take effect at t. While a client computes nothing moves; so clients find their memory as it is
//   at the time of their last call, whatever the window, and no locks are needed.
// Thread safety: as any node. Tests: endpoint_test.cc, hub_host_test.cc.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "fabric/cluster/role.h"
#include "fabric/host/host_node.h"
#include "roles/hub/sim/endpoint.h"

namespace polyloom::hub {

class HubHost final : public fabric::Node {
 public:
  /// One endpoint a link, in order. `clients` makes the clients' node over ports of ours.
  HubHost(std::vector<std::unique_ptr<Endpoint>> endpoints, std::vector<fabric::NodePort> links,
          const fabric::MakeHostNode& clients);
  ~HubHost() override;

  void advance(Time until) override;
  Time next_event() const override;
  bool wants_stop() const override { return clients_->wants_stop(); }
  std::string waiting_for() const override;
  std::optional<std::uint64_t> work() const override;
  void counters(const fabric::CounterSink& sink) const override;
  void digest(fabric::Digest& digest) const override;

 private:
  class Commands;
  class Responses;
  struct Site {
    std::unique_ptr<Endpoint> endpoint;
    std::unique_ptr<Commands> commands;
    std::unique_ptr<Responses> responses;
  };
  Time next_of_endpoints() const;

  std::vector<Site> sites_;
  std::unique_ptr<fabric::HostNode> clients_;
};

}  // namespace polyloom::hub
