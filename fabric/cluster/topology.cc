// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/topology.h"

#include <algorithm>
#include <map>
#include <string>

namespace polyloom::fabric {
namespace {

int add_fpga(ClusterSpec& spec, std::vector<int> position, int ports) {
  ClusterNode node;
  node.name = "fpga";
  for (const int p : position) node.name += "." + std::to_string(p);
  node.position = std::move(position);
  node.ports = ports;
  spec.nodes.push_back(std::move(node));
  return static_cast<int>(spec.nodes.size()) - 1;
}

void add_link(ClusterSpec& spec, const LinkQuality& quality, int a, int port_a, int b, int port_b) {
  ClusterLink link;
  link.node_a = a;
  link.port_a = port_a;
  link.node_b = b;
  link.port_b = port_b;
  link.quality = quality;
  spec.links.push_back(std::move(link));
}

void expand_grid(ClusterSpec& spec, const LinkQuality& quality, bool wrap) {
  enum { kNorth, kEast, kSouth, kWest, kPorts };
  const int width = spec.topology.size[0], height = spec.topology.size[1];
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) add_fpga(spec, {x, y}, kPorts);
  }
  const auto at = [&](int x, int y) { return y % height * width + x % width; };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (x + 1 < width || (wrap && width > 1)) add_link(spec, quality, at(x, y), kEast, at(x + 1, y), kWest);
      if (y + 1 < height || (wrap && height > 1))
        add_link(spec, quality, at(x, y), kNorth, at(x, y + 1), kSouth);
    }
  }
}

void expand_rings(ClusterSpec& spec, const LinkQuality& quality, int rings) {
  enum { kNext, kPrevious, kOther };
  const int n = spec.topology.size[0];
  for (int r = 0; r < rings; ++r) {
    for (int i = 0; i < n; ++i) {
      add_fpga(spec, rings == 1 ? std::vector<int>{i} : std::vector<int>{i, r}, rings == 1 ? 2 : 3);
    }
    for (int i = 0; i < n; ++i) add_link(spec, quality, r * n + i, kNext, r * n + (i + 1) % n, kPrevious);
  }
  if (rings == 2) {
    for (int i = 0; i < n; ++i) add_link(spec, quality, i, kOther, n + i, kOther);
  }
}

// Also the fully connected network: one dimension.
void expand_hypercube(ClusterSpec& spec, const LinkQuality& quality) {
  const std::vector<int>& size = spec.topology.size;
  int count = 1, ports = 0;
  for (std::size_t d = 0; d < size.size(); ++d) {
    count *= size[d];
    ports += (size[d] - 1) * spec.topology.links_of(d);
  }
  for (int n = 0; n < count; ++n) {
    std::vector<int> position;
    for (int rest = n; position.size() < size.size();) {
      const int k = size[position.size()];
      position.push_back(rest % k);
      rest /= k;
    }
    add_fpga(spec, std::move(position), ports);
  }
  for (int n = 0; n < count; ++n) {
    int stride = 1, base = 0;
    for (std::size_t d = 0; d < size.size(); ++d) {
      const int own = spec.nodes[static_cast<std::size_t>(n)].position[d], links = spec.topology.links_of(d);
      for (int other = own + 1; other < size[d]; ++other) {
        for (int k = 0; k < links; ++k) {
          add_link(spec, quality, n, base + (other - 1) * links + k, n + (other - own) * stride,
                   base + own * links + k);
        }
      }
      base += (size[d] - 1) * links;
      stride *= size[d];
    }
  }
}

void expand_star(ClusterSpec& spec, const LinkQuality& quality) {
  const int n = spec.topology.size[0];
  for (int i = 0; i < n; ++i) add_fpga(spec, {i}, 1);
  ClusterNode hub;
  hub.name = "switch";
  hub.kind = NodeKind::network_switch;
  hub.ports = n;
  spec.nodes.push_back(hub);
  for (int i = 0; i < n; ++i) add_link(spec, quality, i, 0, n, i);
}

}  // namespace

SizeRule size_rule(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::mesh:
    case TopologyKind::torus:
      return {2, 2, 1};
    case TopologyKind::ring:
    case TopologyKind::double_ring:
      return {1, 1, 2};
    case TopologyKind::fully_connected:
      return {1, 1, 2};
    case TopologyKind::hypercube:
      return {1, 8, 2};
    case TopologyKind::star:
      return {1, 1, 1};
    case TopologyKind::explicit_links:
      return {0, 0, 0};
  }
  return {0, 0, 0};
}

Extent extent_of(const Topology& topology) {
  constexpr std::int64_t kHuge = 1'000'000'000'000;
  std::int64_t nodes = 1, degree = 0;
  for (std::size_t d = 0; d < topology.size.size(); ++d) {
    const int k = topology.size[d];
    nodes = nodes > kHuge / k ? kHuge : nodes * k;
    degree += std::int64_t{k - 1} * topology.links_of(d);
  }
  switch (topology.kind) {
    case TopologyKind::mesh:
    case TopologyKind::torus:
      return {nodes, 2 * nodes};
    case TopologyKind::ring:
      return {nodes, nodes};
    case TopologyKind::double_ring:
      return {2 * nodes, 3 * nodes};
    case TopologyKind::fully_connected:
    case TopologyKind::hypercube:
      return {nodes, degree && nodes > kHuge / degree ? kHuge : nodes * degree / 2};
    case TopologyKind::star:
      return {nodes + 1, nodes};
    case TopologyKind::explicit_links:
      return {0, 0};
  }
  return {0, 0};
}

void expand_topology(ClusterSpec& spec, const LinkQuality& quality) {
  switch (spec.topology.kind) {
    case TopologyKind::mesh:
      return expand_grid(spec, quality, false);
    case TopologyKind::torus:
      return expand_grid(spec, quality, true);
    case TopologyKind::ring:
      return expand_rings(spec, quality, 1);
    case TopologyKind::double_ring:
      return expand_rings(spec, quality, 2);
    case TopologyKind::fully_connected:
    case TopologyKind::hypercube:
      return expand_hypercube(spec, quality);
    case TopologyKind::star:
      return expand_star(spec, quality);
    case TopologyKind::explicit_links:
      return;
  }
}

void name_links(ClusterSpec& spec) {
  std::map<std::pair<int, int>, int> seen;
  for (ClusterLink& link : spec.links) {
    const int number = ++seen[std::minmax(link.node_a, link.node_b)];
    link.name = spec.nodes[static_cast<std::size_t>(link.node_a)].name + "-" +
                spec.nodes[static_cast<std::size_t>(link.node_b)].name;
    if (number > 1) link.name += "#" + std::to_string(number);
  }
}

}  // namespace polyloom::fabric
