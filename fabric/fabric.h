// SPDX-License-Identifier: Apache-2.0
// A set of nodes joined by links: built once, then run (engine.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric/engine.h"
#include "fabric/link.h"
#include "fabric/node.h"

namespace polyloom::fabric {

class Trace;
class TraceTrack;

/// One node's end of a full-duplex link.
struct Port {
  Tx* tx = nullptr;
  Rx* rx = nullptr;
};

/// What helps to divide nodes over threads and processes. Never changes a result.
struct NodeHints {
  double weight = 1;          ///< expected work, relative to other nodes
  bool on_rank_zero = false;  ///< must live in the first process (a host program talks to it)
};

/// Order of use: add_node for each node, connect their links, set_node with the models (a model's constructor
/// takes its ports), run. With MPI every process builds the same fabric and sets only the nodes that it
/// owns(). Ids count from 0 in order of creation, and two links of one connect() have neighbouring ids. Not
/// thread safe.
class Fabric {
 public:
  Fabric();
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  int add_node(std::string name, NodeHints hints = {});
  /// Joins two nodes (or a node with itself) and returns their ends. Throws UserError on a latency or period
  /// that is not positive, or a rate outside [0, 1].
  std::pair<Port, Port> connect(const LinkSpec& a_to_b, const LinkSpec& b_to_a, int node_a, int node_b);
  void set_node(int id, std::unique_ptr<Node> node);

  int node_count() const { return static_cast<int>(nodes_.size()); }
  const std::string& node_name(int id) const { return slot(id).name; }
  const NodeHints& node_hints(int id) const { return slot(id).hints; }
  /// Null if it was not set, or lives in another process.
  Node* node(int id) const { return slot(id).node.get(); }
  int link_count() const { return static_cast<int>(links_.size()); }
  Link& link(int id) const { return *links_.at(static_cast<std::size_t>(id)); }

  /// Longest step in which nodes are independent: the smallest latency of all links (1 us if there is none).
  Time window() const;
  /// Everything before this time has happened.
  Time now() const { return now_; }

  /// Divides nodes over processes; done by mpi::Session::partition. Rank of this process, owner of each node.
  void set_partition(int rank, std::vector<int> owners);
  int owner(int id) const { return owners_.empty() ? 0 : owners_.at(static_cast<std::size_t>(id)); }
  bool owns(int id) const { return owner(id) == rank_; }
  int rank() const { return rank_; }

  /// Traces link occupancy from now on and lets nodes trace. The trace must outlive all runs.
  void set_trace(Trace* trace);
  /// The track of a node for its constructor: null when there is no trace, so "off" costs one test.
  TraceTrack* trace_track(int id);

  /// Counters of the nodes and links of this process, in order of id: nodes' own names, then
  /// "link.NAME.frames|pulses|words|bits|drops|bit_errors".
  void counters(const CounterSink& sink) const;

 private:
  friend class RunState;
  struct Slot {
    std::string name;
    NodeHints hints;
    std::unique_ptr<Node> node;
    TraceTrack* track = nullptr;
  };
  const Slot& slot(int id) const { return nodes_.at(static_cast<std::size_t>(id)); }

  // Links before nodes: a node's destructor may still look at its ports.
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Slot> nodes_;
  std::vector<int> owners_;
  int rank_ = 0;
  Time now_ = 0;
  bool failed_ = false;
  Trace* trace_ = nullptr;
};

}  // namespace polyloom::fabric
