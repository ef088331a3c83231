// SPDX-License-Identifier: Apache-2.0
// Which nodes are joined by which lanes, as schedules see it: a fully connected cluster (one row) or a
// generalized hypercube of two dimensions (complete rows and complete columns).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace polyloom::collective {

/// A rank, node or lane as an index of a vector.
inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// The far end of a lane. peer -1: nothing is connected.
struct LaneEnd {
  int peer = -1;
  int lane = -1;
  bool operator==(const LaneEnd&) const = default;
};

/// Ranks are 0..size()-1; rank of column x and row y is x + nx * y. Fully connected: ny = 1.
struct Topology {
  int nx = 1, ny = 1;
  std::vector<std::vector<LaneEnd>> lanes;  ///< [rank][lane]

  int size() const { return nx * ny; }
  int rank(int x, int y) const { return x + nx * y; }
  int x_of(int rank) const { return rank % nx; }
  int y_of(int rank) const { return rank / nx; }
  bool adjacent(int a, int b) const { return x_of(a) == x_of(b) || y_of(a) == y_of(b); }
  /// Lanes of `from` that lead to `to`, ascending.
  std::vector<int> lanes_to(int from, int to) const;
  /// Ranks of the row (dimension 0) or column (dimension 1) that `rank` is in, ascending.
  std::vector<int> group(int dimension, int rank) const;
  /// Fewest lanes between any two neighbours of that dimension; 0 if the dimension has one member.
  int multiplicity(int dimension) const;
  /// Every pair of a row or column joined, both ends of each lane naming each other. Throws UserError.
  void check() const;
  std::string text() const;  ///< "fully connected, 8 nodes" or "hypercube 4 x 2, 8 nodes"

  static Topology fully_connected(int nodes, int links = 1);
  static Topology hypercube(int nx, int ny, int links_x = 1, int links_y = 1);
};

}  // namespace polyloom::collective
