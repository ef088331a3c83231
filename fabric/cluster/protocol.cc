// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/protocol.h"

#include <fmt/format.h>

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

// Roles send over PCI Express what they never repeat, since the real one loses nothing.
void refuse_faults(const std::string& file, const ClusterLink& link) {
  const LinkQuality& quality = link.quality;
  if (quality.protocol != "pcie" || (quality.bit_error_rate == 0 && quality.drop_rate == 0)) return;
  throw UserError(fmt::format(
      "{}: link {}: {} = {:g}: the data link layer of PCI Express, which repeats what is damaged, is not "
      "modelled; allowed: bit_error_rate = 0 and drop_rate = 0 on links that speak pcie",
      file, link.name, quality.bit_error_rate > 0 ? "bit_error_rate" : "drop_rate",
      quality.bit_error_rate > 0 ? quality.bit_error_rate : quality.drop_rate));
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
    if (!spoken.empty() && std::find(spoken.begin(), spoken.end(), given) == spoken.end()) {
      throw UserError(spec.file + ": link " + link.name + ": protocol = \"" + given +
                      "\": its ends do not speak it; allowed: " + joined(spoken) + ", or no such key");
    }
    refuse_faults(spec.file, link);
  }
}

}  // namespace polyloom::fabric
