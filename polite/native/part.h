// SPDX-License-Identifier: Apache-2.0
// The part of a graph that one of several processes works on.
//
// How: vertices are divided into ranges, one a process, with about equal numbers of in-edges. A process keeps the edges
// whose receivers it owns. Their senders that others own are here as mirrors: vertices that have a place for a message
// and nothing else, which an exchange fills at the begin of a round (exchange.h). Local numbers are by the order of
// vertices, mirrors before and behind the own ones, so that a receiver gets its messages as in one process. Own
// vertices begin and end with blocks of the engine.
//
// Where messages may be combined, a receiver that is the only one here of several senders of another process has them
// combined there (a cut of vertices, for skew): these edges are the other process's then, and in the place of the
// mirrors is one, behind all others, with one edge to the receiver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "polite/graph_store.h"
#include "polite/native/peers.h"
#include "polite/native_view.h"

namespace polyloom::polite {

class Part {
 public:
  /// Vertices and pins of them, in their order: what this process has to do with another of its own vertices or of
  /// mirrors. A message that vertex[i] has sent on pin[i] has a receiver on the other side.
  struct Rows {
    unsigned process;
    std::vector<std::uint32_t> vertex;  ///< local
    std::vector<std::uint8_t> pin;      ///< empty when the graph has one pin
    std::uint32_t combined = 0;         ///< messages that follow them, each for a receiver of its own
    std::size_t size() const { return vertex.size() + combined; }
  };
  /// Edges of own vertices whose messages are combined for receivers of another process: by receiver, ordered by sender.
  struct Combined {
    std::vector<std::uint64_t> begin;   ///< by receiver, and the end
    std::vector<std::uint32_t> vertex;  ///< local
    std::vector<std::uint8_t> pin;      ///< empty when the graph has one pin
    std::vector<std::byte> label;
  };
  /// Where a message of an own vertex goes.
  struct Route {
    std::uint32_t to;     ///< index in sends()
    std::uint32_t entry;  ///< in its rows
  };
  struct CombinedRoute {
    std::uint32_t to;        ///< index in sends()
    std::uint32_t receiver;  ///< among those that messages are combined for
    std::uint64_t edge;      ///< in its Combined
  };
  /// Whether messages may be combined before they are sent, and a label that changes none.
  struct Combining {
    bool allowed = false;
    std::vector<std::byte> neutral_label;
  };

  /// `whole` must be the same in all processes; `message_bytes` and the sizes in it are compared. Throws UserError.
  Part(const NativeGraph& whole, std::size_t message_bytes, Peers& peers, const Combining& combining);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// Own edges by local numbers, without states.
  const NativeGraph& graph() const { return graph_; }
  /// Own vertices: local numbers from first() on; the vertices from first_vertex() on.
  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return first_ + count_; }
  std::uint32_t first_vertex() const { return first_vertex_; }
  /// Out-edges of local vertices in the whole graph, as rows: entry v * pins + pin and the one behind it. Mirrors have
  /// none.
  std::span<const std::uint64_t> whole_begin() const { return whole_begin_; }
  /// The same of the edges here.
  std::span<const std::uint64_t> begin() const { return store_.row_begins(); }

  std::span<const Rows> sends() const { return sends_; }
  std::span<const Rows> receives() const { return receives_; }
  /// Where messages go that own vertex v (local) sends on a pin.
  std::span<const Route> routes(std::uint32_t v, unsigned pin) const {
    const std::size_t row = own_row(v, pin);
    return {routes_.data() + route_begin_[row], routes_.data() + route_begin_[row + 1]};
  }
  /// The same of those that are combined, and by index in sends().
  std::span<const CombinedRoute> combined_routes(std::uint32_t v, unsigned pin) const {
    if (combined_routes_.empty()) return {};
    const std::size_t row = own_row(v, pin);
    return {combined_routes_.data() + combined_begin_[row],
            combined_routes_.data() + combined_begin_[row + 1]};
  }
  std::span<const Combined> combined() const { return combined_; }
  /// In how many other processes such a message has a receiver.
  std::uint32_t reach(std::uint32_t v, unsigned pin) const { return reach_[own_row(v, pin)]; }

 private:
  /// Edges with a receiver of this process, by their vertices in the whole graph.
  struct Taken {
    std::vector<Edge> edges;
    std::vector<std::uint8_t> pin;  ///< empty when the graph has one pin
    std::vector<std::byte> label;
    std::vector<bool> cut;  ///< its message is combined by the sender's process
  };
  /// What another process is asked for.
  struct Request {
    std::vector<std::uint32_t> vertex;    ///< that is mirrored here
    std::vector<std::uint8_t> pin;        ///< empty when the graph has one pin
    std::vector<std::uint32_t> receiver;  ///< of this process, that messages are combined for
  };

  std::size_t own_row(std::uint32_t v, unsigned pin) const { return std::size_t{v - first_} * pins_ + pin; }
  bool is_own(std::uint32_t v) const { return v - first_vertex_ < count_; }
  unsigned owner(std::uint32_t v) const;
  void compare(const NativeGraph& whole, std::size_t message_bytes, Peers& peers) const;
  Taken take_edges(const NativeGraph& whole);
  void choose(Taken& taken, const std::vector<std::uint32_t>& edges, bool cut, Request& request);
  void number_vertices();
  void keep_edges(const NativeGraph& whole, Taken taken, const Combining& combining);
  void ask(const Taken& taken, const std::vector<std::vector<std::uint32_t>>& edges, Peers& peers);
  void hear(unsigned process, std::span<const std::byte> bytes);
  void make_routes();

  std::size_t pins_, label_bytes_;
  std::vector<std::uint32_t> begin_;  ///< first vertex of each process, and the end
  std::uint32_t first_vertex_ = 0, count_ = 0, first_ = 0;
  std::uint64_t local_vertices_ = 0;
  GraphStore store_;
  NativeGraph graph_;
  std::vector<std::uint64_t> whole_begin_;
  std::vector<Request> requests_;  ///< by process, until they are made
  std::vector<std::uint32_t>
      degree_;  ///< by row of the whole graph, while edges are taken: edges that are not cut
  std::vector<Rows> sends_, receives_;
  std::vector<Combined> combined_;
  std::vector<std::uint32_t> reach_;
  std::vector<std::uint64_t> route_begin_, combined_begin_;
  std::vector<Route> routes_;
  std::vector<CombinedRoute> combined_routes_;
};

/// First vertices of `parts` ranges with about equal weights, and the end; each has at least one vertex.
std::vector<std::uint32_t> equal_ranges(std::span<const std::uint32_t> in_degree, unsigned parts);

}  // namespace polyloom::polite
