// SPDX-License-Identifier: Apache-2.0
// The octree over bodies that are sorted along the Peano-Hilbert curve.
#pragma once

#include <span>
#include <vector>

#include "fabric/pool.h"
#include "nbody/tree/frame.h"
#include "nbody/tree/record.h"

namespace polyloom::nbody {

/// When a node may stand for its bodies, seen from a group at distance s. b: radius of the node about its
/// centre of mass. No node is accepted nearer than its own b, so a body never meets a cell that contains it.
enum class Criterion {
  kSide,          ///< side of the cell < theta s
  kAngle,         ///< b < theta s
  kAcceleration,  ///< G M b^2 / s^4 < delta a, a: the smallest old acceleration in the group
};
struct Mac {
  Criterion criterion = Criterion::kAngle;
  double theta = 0.5;
  double delta = 1.0 / 512;
};
/// Throws UserError if theta or delta is outside its range.
void check_mac(const Mac& mac);
/// What to use while no old accelerations are known.
inline constexpr Mac kFirstMac{Criterion::kAngle, 0.5, 0};
/// No body accepts a cell from nearer than so many times its radius, except by an angle that says so: a body
/// far away may hold nearly all of a cell's mass, and the others, where the radius ends, would count as being
/// there. The test of GADGET-4 for that (a tenth of the cell beyond its sides) about the centre of mass.
inline constexpr float kNearest = 1.1f;
/// Such a cell: its radius is so many times the root of its bodies' mean squared distance, by mass.
inline constexpr float kLopsided = 4;

/// Two steps, timed apart by their caller: make() finds the cells, summarize() writes what they contain.
/// Memory is kept from tree to tree.
class Tree {
 public:
  /// Cells of `keys` (ascending): a cell with more than `leaf` bodies (1..8) is a node; its eight octants
  /// contribute nodes or, up to `leaf` bodies, the bodies themselves. Cells whose bodies lie in one octant
  /// are skipped. Bodies of one key beyond 64 are parted by place. One body is a tree of one node. Throws
  /// UserError above 2^26 nodes.
  void make(std::span<const std::uint64_t> keys, unsigned leaf);
  std::size_t size() const { return first_.size(); }

  /// Masses, centres, radii and q of all nodes into `out`, which has size() elements and holds the tree from
  /// then on. `points` are the bodies in the order of the keys. Under the acceleration criterion no target's
  /// kappa is below `least_kappa`; 0: none looks but the walk of this tree, which compares the radius itself.
  void summarize(fabric::Pool& pool, std::span<const Point> points, const Mac& mac, float least_kappa,
                 bool second, std::span<NodeRecord> out);

  TreeView view() const { return {nodes_, second_}; }
  /// Of each node, b of a cell (never less than the distance of a member), 0 of a body.
  std::span<const float> radius() const { return radius_; }
  std::size_t cells() const { return cells_.size(); }

 private:
  struct Moment {
    double mass, x, y, z;
  };
  void add_body(std::uint32_t body);
  void add_cell(std::uint32_t first, std::uint32_t count);
  void open(std::uint32_t id, std::span<const std::uint64_t> keys, unsigned leaf);
  void sum_children(std::uint32_t id, std::span<const Point> points);
  void sum_second(std::uint32_t id, std::span<const Point> points);
  float critical_radius(std::uint32_t cell, std::span<const Point> points, float radius, const Mac& mac,
                        float least_kappa) const;
  float width(std::uint32_t id) const;
  float spread(std::uint32_t id, std::span<const Point> points) const;

  std::vector<std::uint32_t> first_, count_;  ///< range of bodies of each node; count 1: a body
  std::vector<std::uint32_t> more_;
  std::vector<std::uint32_t> cells_;  ///< ids of nodes that are cells, ascending
  std::vector<float> side_;           ///< beside cells_
  std::vector<Moment> moments_;       ///< by id, of cells
  std::vector<SecondMoment> second_;
  std::vector<float> radius_;
  std::vector<float> x_, y_, z_;  ///< of the points, for max_distance
  std::span<const NodeRecord> nodes_;
};

}  // namespace polyloom::nbody
