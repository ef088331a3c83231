// SPDX-License-Identifier: Apache-2.0
// How a role joins the cluster reader and the simulator: a validator of its table and a maker of its nodes.
//
//   void overlay::register_role(fabric::RoleRegistry& registry) {
//     registry.add({"overlay",
//       [](fabric::Table& table, const fabric::RoleSite& site) -> std::shared_ptr<const fabric::RoleParams> {
//         auto params = std::make_shared<OverlayParams>();
//         params->board.read(table);  // spec/overlay_keys.h
//         params->board.clock_hz = site.clock_hz;
//         return params;                                   // the caller calls table.finish()
//       },
//       [](const fabric::NodeContext& context) -> std::unique_ptr<fabric::Node> {
//         return make_board(context.params<OverlayParams>(), context);
//       }});
//   }
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/cluster/spec.h"
#include "fabric/cluster/table.h"
#include "fabric/node.h"
#include "fabric/wave.h"

namespace polyloom::fabric {

class TraceTrack;

/// One port of a node under construction. An unconnected port (the edge of a mesh) has null ends and peer -1.
struct NodePort {
  Tx* tx = nullptr;
  Rx* rx = nullptr;
  int peer = -1;                         ///< node at the other end
  const LinkQuality* quality = nullptr;  ///< of the link; null if unconnected. Owned by the ClusterSpec
};

/// What a node is made from. References outlive the node.
struct NodeContext {
  const ClusterSpec& cluster;
  int index;                          ///< of the node in cluster.nodes
  std::vector<NodePort> ports;        ///< by port number; size is node().ports
  std::uint64_t seed = 1;             ///< of the run; draw per-node randomness from (seed, index)
  TraceTrack* trace = nullptr;        ///< the node's track (fabric/trace.h); null when the run is not traced
  const WaveRequest* wave = nullptr;  ///< waves are wanted of this node (fidelity rtl only); null otherwise

  const ClusterNode& node() const { return cluster.nodes[static_cast<std::size_t>(index)]; }
  /// The typed parameters that the role's own validator returned.
  template <class T>
  const T& params() const {
    return dynamic_cast<const T&>(*node().params);
  }
};

/// What a validator may look at besides its table.
struct RoleSite {
  std::uint64_t clock_hz;  ///< the FPGA's "core" clock
  const Topology& topology;
  const std::vector<MemorySpec>& memories;
  Fidelity fidelity;
};

class HostNode;
/// Makes the node that clients of the host node under construction talk to, over ports of the caller's.
using MakeHostNode = std::function<std::unique_ptr<HostNode>(std::vector<NodePort>)>;

/// Another form than TOML that a cluster's description may have: a JSON file, or a name that stands for one.
struct ClusterForm {
  /// Reads the nodes, links and hosts of `document` into `spec`, whose roles are validated afterwards. Throws
  /// UserError.
  std::function<void(const Value& document, const std::string& file, ClusterSpec& spec)> read;
  /// The JSON that a cluster's name stands for; nothing for names of other clusters. Throws UserError.
  std::function<std::optional<std::string>(const std::string& name)> of_name;
};

struct Role {
  std::string name;
  /// Reads and checks every key of the role's table, returns its typed parameters. Throws UserError through
  /// Table::fail. Called once for each distinct table; the reader calls finish() on the table afterwards.
  std::function<std::shared_ptr<const RoleParams>(Table&, const RoleSite&)> validate;
  /// Makes one node of fidelity `sim` (or another that the role supports; it throws UserError for the rest).
  std::function<std::unique_ptr<Node>(const NodeContext&)> make_node;
  /// Makes the host node that is attached to FPGAs of this role, where it is more than a HostNode: one that
  /// has a part of the role on the host's side of the link. Empty: a HostNode over the links.
  std::function<std::unique_ptr<Node>(const NodeContext&, const MakeHostNode& clients)> make_host = {};
  /// What its nodes speak on links to one another; the reader refuses another `protocol`. Empty: anything.
  std::string protocol = {};
  /// Kinds of [memory.NAME] that its validator looks for.
  std::vector<std::string> memories = {};
  /// Keys of its table that two linked nodes of this role must agree on, because each end of the link works
  /// by its own value as if it were the other's; the reader refuses a link whose ends differ.
  std::vector<std::string> alike = {};
};

using MakeNode = std::function<std::unique_ptr<Node>(const NodeContext&)>;

/// The roles a program knows, and its maker of switches (store-and-forward, ClusterSpec::network_switch).
/// Filled explicitly at start-up, then only read.
class RoleRegistry {
 public:
  void add(Role role);
  void set_switch(MakeNode make) { make_switch_ = std::move(make); }
  /// Empty if the program has no switches.
  const MakeNode& make_switch() const { return make_switch_; }
  void set_json(ClusterForm form) { json_ = std::move(form); }
  /// Empty functions if no role of the program describes clusters in JSON.
  const ClusterForm& json() const { return json_; }
  /// Null if not registered.
  const Role* find(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<Role> roles_;
  MakeNode make_switch_;
  ClusterForm json_;
};

}  // namespace polyloom::fabric
