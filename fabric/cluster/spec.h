// SPDX-License-Identifier: Apache-2.0
// A cluster as read, checked and expanded: plain data, nodes and links by index (docs/design.md, section 4.1,
// "Cluster file").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fabric/cluster/value.h"
#include "fabric/time.h"

namespace polyloom::fabric {

enum class NodeKind { fpga, host, network_switch };
enum class Fidelity { native, sim, rtl, board };
const char* name_of(NodeKind kind);
const char* name_of(Fidelity fidelity);

/// Base of a role's typed parameters: what its validator makes of its table.
struct RoleParams {
  virtual ~RoleParams() = default;
};

/// Topologies. Port numbers of an FPGA, in all of them: network ports first, then one host port for each
/// attached host.
///   mesh, torus        size [X, Y]; "fpga.X.Y"; 0 north (+y), 1 east (+x), 2 south, 3 west; a neighbour that
///                      is absent leaves its port unconnected
///   ring               size [N]; "fpga.I"; 0 next, 1 previous
///   double_ring        size [N]; two rings of N joined by pairs: "fpga.I.R", R = ring 0 or 1; 0 next,
///                      1 previous, 2 other ring
///   fully_connected    size [N]; "fpga.I"; port to J is J if J < I, else J - 1
///   hypercube          generalized: size [K0, K1 ...]; "fpga.I0.I1..."; each dimension fully connected, the
///                      ports of dimension 0 first
///   star               size [N]; "fpga.I" port 0 to "switch" port I
///   explicit           nodes and links as listed
/// In fully_connected and hypercube, links [M0 ...] (a number a dimension, default 1) joins each pair of
/// dimension d by M_d links: port P of the numbering with single links becomes, within its dimension, the
/// ports P * M_d + k, k = 0 .. M_d - 1, and link k joins the ports k of both ends.
enum class TopologyKind { mesh, torus, ring, double_ring, fully_connected, hypercube, star, explicit_links };
const char* name_of(TopologyKind kind);

struct Topology {
  TopologyKind kind = TopologyKind::mesh;
  std::vector<int> size;
  std::vector<int> links = {};  ///< of each pair, by dimension; empty where the kind has none

  int links_of(std::size_t dimension) const { return dimension < links.size() ? links[dimension] : 1; }
};

/// A node of the expanded cluster; its index in ClusterSpec::nodes is its node number in the fabric.
struct ClusterNode {
  std::string name;  ///< "fpga.1.0", "switch", "host"; also the prefix of its counters
  NodeKind kind = NodeKind::fpga;
  std::string role;  ///< of an FPGA; empty otherwise
  Fidelity fidelity = Fidelity::sim;
  std::vector<int> position;                    ///< coordinates in the topology; empty if it has none
  int rank = -1;                                ///< rank that a JSON description gives it, or -1
  int ports = 0;                                ///< number of ports, connected or not
  int host_port = -1;                           ///< first port that leads to a host, or -1
  std::map<std::string, std::uint64_t> clocks;  ///< hertz by name; "core" always exists on an FPGA
  Value role_table;                             ///< the role's table in force, defaults included
  std::shared_ptr<const RoleParams> params;     ///< what the role's validator made of it

  std::uint64_t clock_hz(const std::string& clock = "core") const { return clocks.at(clock); }
};

/// What every link of one sort is like. Times are simulated.
struct LinkQuality {
  std::string protocol;  ///< what the nodes at the ends speak; the wire itself only carries frames
  Time latency = 0;
  std::uint64_t rate_bps = 0;
  double bit_error_rate = 0;  ///< chance of each bit to flip
  double drop_rate = 0;       ///< chance of each frame to vanish

  /// ps a 64-bit word takes at this rate, rounded to the nearest ps, at least 1.
  Time word_period() const;
};

/// One full-duplex link between two node ports, the same quality both ways.
struct ClusterLink {
  std::string name;  ///< "fpga.0.0-fpga.1.0", with "#2" for a second one between the same two
  int node_a = -1, port_a = -1, node_b = -1, port_b = -1;
  bool to_host = false;
  LinkQuality quality;
};

/// A memory behind every FPGA, for roles to look up by name.
struct MemorySpec {
  std::string name;  ///< as in [memory.NAME]
  std::string kind;  ///< "ddr3-1600", "qdr2plus", "hbm2"
  int channels = 1;
  std::uint64_t bytes_per_channel = 0;
};

/// The store-and-forward switch of a star (and of kind = "switch" nodes of an explicit topology).
struct SwitchSpec {
  Time forward_latency = 0;       ///< from the last word in to the first word out of an empty queue
  std::uint64_t queue_bytes = 0;  ///< of each output; a frame that does not fit is dropped
};

struct HostSpec {
  int clients = 1;     ///< host processes that one host node serves
  Time call_time = 0;  ///< simulated time that each call of a host program takes
};

struct ClusterSpec {
  int version = 1;
  std::string name, file, description;
  Topology topology;
  std::vector<ClusterNode> nodes;  ///< FPGAs, then switches, then hosts (explicit: as in the file)
  std::vector<ClusterLink> links;
  std::vector<MemorySpec> memories;
  SwitchSpec network_switch;
  HostSpec host;
  /// "config" of a JSON description, as given (ClusterForm); empty otherwise.
  std::map<std::string, std::int64_t> config;

  /// Index of the node of that name, or -1.
  int find_node(const std::string& node_name) const;
  std::vector<int> nodes_of(NodeKind kind) const;
  const MemorySpec* find_memory(const std::string& memory_name) const;
  /// The smallest latency of all links: the longest window.
  Time min_latency() const;
};

}  // namespace polyloom::fabric
