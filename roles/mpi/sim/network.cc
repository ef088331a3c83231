// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/network.h"

#include "blocks/switch/sim/ethernet_switch.h"
#include "roles/mpi/sim/address.h"

namespace polyloom::mpi {

std::unique_ptr<fabric::Node> make_switch(const fabric::NodeContext& context) {
  std::vector<blocks::WireEnds> ports;
  blocks::EthernetSwitch::MacTable table;
  for (const fabric::NodePort& port : context.ports) {
    if (port.peer >= 0) table[wire_mac_of_node(port.peer)] = static_cast<unsigned>(ports.size());
    ports.push_back({port.tx, port.rx});
  }
  const fabric::SwitchSpec& spec = context.cluster.network_switch;
  return std::make_unique<blocks::EthernetSwitch>(
      context.node().name, std::move(ports), std::move(table),
      blocks::SwitchParams{.forward_latency = spec.forward_latency, .queue_bytes = spec.queue_bytes});
}

}  // namespace polyloom::mpi
