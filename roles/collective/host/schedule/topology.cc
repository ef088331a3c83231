// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fabric/error.h"

namespace polyloom::collective {

std::vector<int> Topology::lanes_to(int from, int to) const {
  std::vector<int> found;
  const auto& ends = lanes.at(static_cast<std::size_t>(from));
  for (int l = 0; l < static_cast<int>(ends.size()); ++l) {
    if (ends[static_cast<std::size_t>(l)].peer == to) found.push_back(l);
  }
  return found;
}

std::vector<int> Topology::group(int dimension, int rank_in) const {
  std::vector<int> members;
  const int n = dimension == 0 ? nx : ny;
  for (int i = 0; i < n; ++i) {
    members.push_back(dimension == 0 ? rank(i, y_of(rank_in)) : rank(x_of(rank_in), i));
  }
  return members;
}

int Topology::multiplicity(int dimension) const {
  int fewest = std::numeric_limits<int>::max();
  for (int a = 0; a < size(); ++a) {
    for (const int b : group(dimension, a)) {
      if (a != b) fewest = std::min(fewest, static_cast<int>(lanes_to(a, b).size()));
    }
  }
  return fewest == std::numeric_limits<int>::max() ? 0 : fewest;
}

void Topology::check() const {
  if (static_cast<int>(lanes.size()) != size()) {
    throw UserError(fmt::format("topology of {} x {} nodes has {} nodes", nx, ny, lanes.size()));
  }
  for (int a = 0; a < size(); ++a) {
    const auto& mine = lanes[static_cast<std::size_t>(a)];
    for (int l = 0; l < static_cast<int>(mine.size()); ++l) {
      const LaneEnd end = mine[static_cast<std::size_t>(l)];
      if (end.peer < 0) continue;
      const bool known = end.peer < size() && end.lane >= 0 &&
                         end.lane < static_cast<int>(lanes[static_cast<std::size_t>(end.peer)].size());
      if (!known ||
          lanes[static_cast<std::size_t>(end.peer)][static_cast<std::size_t>(end.lane)] != LaneEnd{a, l}) {
        throw UserError(fmt::format("lane {} of rank {} leads to rank {} lane {}, which does not lead back",
                                    l, a, end.peer, end.lane));
      }
    }
    for (const int dimension : {0, 1}) {
      for (const int b : group(dimension, a)) {
        if (a != b && lanes_to(a, b).empty()) {
          throw UserError(fmt::format(
              "ranks {} and {} are in one {} but no lane joins them; collectives need a fully connected "
              "cluster or a hypercube of two dimensions",
              a, b, dimension == 0 ? "row" : "column"));
        }
      }
    }
  }
}

std::string Topology::text() const {
  if (ny == 1) return fmt::format("fully connected, {} nodes, {} links a pair", nx, multiplicity(0));
  return fmt::format("hypercube {} x {}, {} nodes, {} and {} links a pair", nx, ny, size(), multiplicity(0),
                     multiplicity(1));
}

Topology Topology::fully_connected(int nodes, int links) { return hypercube(nodes, 1, links, 1); }

Topology Topology::hypercube(int nx, int ny, int links_x, int links_y) {
  Topology t;
  t.nx = nx;
  t.ny = ny;
  t.lanes.resize(static_cast<std::size_t>(nx * ny));
  // Lane numbers follow from the place in the group, so both ends can be named without a second pass: within
  // a dimension, peer i is number i before oneself and i - 1 after.
  const auto lane = [&](int self, int peer, int k) {
    const bool in_row = t.y_of(self) == t.y_of(peer);
    const int me = in_row ? t.x_of(self) : t.y_of(self), other = in_row ? t.x_of(peer) : t.y_of(peer);
    const int place = other < me ? other : other - 1;
    return in_row ? place * links_x + k : (nx - 1) * links_x + place * links_y + k;
  };
  for (int a = 0; a < t.size(); ++a) {
    auto& mine = t.lanes[static_cast<std::size_t>(a)];
    mine.resize(static_cast<std::size_t>((nx - 1) * links_x + (ny - 1) * links_y));
    for (const int dimension : {0, 1}) {
      for (const int b : t.group(dimension, a)) {
        if (a == b) continue;
        for (int k = 0; k < (dimension == 0 ? links_x : links_y); ++k) {
          mine[static_cast<std::size_t>(lane(a, b, k))] = {b, lane(b, a, k)};
        }
      }
    }
  }
  return t;
}

}  // namespace polyloom::collective
