// SPDX-License-Identifier: Apache-2.0
// Expansion of the regular topologies into FPGAs, switches and links.
#pragma once

#include <cstdint>

#include "fabric/cluster/spec.h"

namespace polyloom::fabric {

/// Most nodes and links that an expanded cluster may have.
inline constexpr std::int64_t kMaxNodes = 4096;
inline constexpr std::int64_t kMaxLinks = 200'000;

/// Number of sizes the kind takes: {least, most}; {0, 0} for explicit links.
struct SizeRule {
  std::size_t least, most;
  std::int64_t smallest;  ///< of each size
};
SizeRule size_rule(TopologyKind kind);

/// Nodes and links that expand_topology would make, without making them (saturating at a large number).
struct Extent {
  std::int64_t nodes, links;
};
Extent extent_of(const Topology& topology);

/// Appends the topology's FPGAs (name, position, network ports) and switches to spec.nodes and its links, of
/// quality `quality`, to spec.links. Port numbers are those of TopologyKind. Requires checked sizes; explicit
/// adds nothing.
void expand_topology(ClusterSpec& spec, const LinkQuality& quality);

/// Gives every link its name from its ends; a second link between the same two nodes gets "#2".
void name_links(ClusterSpec& spec);

}  // namespace polyloom::fabric
