// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/build.h"

namespace polyloom::fabric {

void attach_hosts(ClusterSpec& spec, const HostAttachment& attachment) {
  const int hub = spec.find_node("switch");
  for (int h = 0; h < attachment.hosts; ++h) {
    ClusterNode host;
    host.name = attachment.hosts == 1 ? "host" : "host." + std::to_string(h);
    host.kind = NodeKind::host;
    spec.nodes.push_back(host);
    const int self = static_cast<int>(spec.nodes.size()) - 1;
    const auto join = [&](int peer) {
      ClusterNode& other = spec.nodes[static_cast<std::size_t>(peer)];
      if (other.kind == NodeKind::fpga && other.host_port < 0) other.host_port = other.ports;
      ClusterLink link;
      link.node_a = peer;
      link.port_a = other.ports++;
      link.node_b = self;
      link.port_b = spec.nodes.back().ports++;
      link.to_host = true;
      link.quality = attachment.quality;
      spec.links.push_back(std::move(link));
    };
    if (attachment.to_switch) {
      join(hub);
    } else {
      for (const int fpga : attachment.attached) join(fpga);
    }
  }
}

}  // namespace polyloom::fabric
