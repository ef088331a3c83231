// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/spec.h"

#include <algorithm>

namespace polyloom::fabric {

const char* name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::fpga:
      return "fpga";
    case NodeKind::host:
      return "host";
    case NodeKind::network_switch:
      return "switch";
  }
  return "?";
}

const char* name_of(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::native:
      return "native";
    case Fidelity::sim:
      return "sim";
    case Fidelity::rtl:
      return "rtl";
    case Fidelity::board:
      return "board";
  }
  return "?";
}

const char* name_of(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::mesh:
      return "mesh";
    case TopologyKind::torus:
      return "torus";
    case TopologyKind::ring:
      return "ring";
    case TopologyKind::double_ring:
      return "double_ring";
    case TopologyKind::fully_connected:
      return "fully_connected";
    case TopologyKind::hypercube:
      return "hypercube";
    case TopologyKind::star:
      return "star";
    case TopologyKind::explicit_links:
      return "explicit";
  }
  return "?";
}

Time LinkQuality::word_period() const {
  const auto picos = static_cast<unsigned __int128>(64) * kPicosPerSecond;
  return std::max<Time>(1, static_cast<Time>((picos + rate_bps / 2) / rate_bps));
}

int ClusterSpec::find_node(const std::string& node_name) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == node_name) return static_cast<int>(i);
  }
  return -1;
}

std::vector<int> ClusterSpec::nodes_of(NodeKind kind) const {
  std::vector<int> result;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == kind) result.push_back(static_cast<int>(i));
  }
  return result;
}

const MemorySpec* ClusterSpec::find_memory(const std::string& memory_name) const {
  for (const MemorySpec& memory : memories) {
    if (memory.name == memory_name) return &memory;
  }
  return nullptr;
}

Time ClusterSpec::min_latency() const {
  Time least = kNever;
  for (const ClusterLink& link : links) least = std::min(least, link.quality.latency);
  return least;
}

}  // namespace polyloom::fabric
