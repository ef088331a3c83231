// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/protocol.h"

#include <algorithm>

#include "fabric/cluster/suggest.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

// The first is the default. Empty: whatever the file says (roles of tests).
std::vector<std::string> spoken_on(const ClusterSpec& spec, const ClusterLink& link,
                                   const RoleRegistry& roles) {
  const ClusterNode* ends[] = {&spec.nodes[static_cast<std::size_t>(link.node_a)],
                               &spec.nodes[static_cast<std::size_t>(link.node_b)]};
  for (const ClusterNode* end : ends) {
    if (end->kind == NodeKind::network_switch) return {"udp", "ethernet"};
  }
  for (const ClusterNode* end : ends) {
    const Role* role = end->kind == NodeKind::fpga ? roles.find(end->role) : nullptr;
    if (role == nullptr || role->protocol.empty()) continue;
    return {link.to_host ? std::string("pcie") : role->protocol};
  }
  return {};
}

}  // namespace

const std::vector<std::string>& known_protocols() {
  static const std::vector<std::string> words = {"reliable", "ethernet", "udp", "serial", "pcie"};
  return words;
}

void settle_protocols(ClusterSpec& spec, const RoleRegistry& roles) {
  for (ClusterLink& link : spec.links) {
    const std::vector<std::string> spoken = spoken_on(spec, link, roles);
    std::string& given = link.quality.protocol;
    if (given.empty()) given = spoken.empty() ? known_protocols().front() : spoken.front();
    if (spoken.empty() || std::find(spoken.begin(), spoken.end(), given) != spoken.end()) continue;
    throw UserError(spec.file + ": link " + link.name + ": protocol = \"" + given +
                    "\": its ends do not speak it; allowed: " + joined(spoken) + ", or no such key");
  }
}

}  // namespace polyloom::fabric
