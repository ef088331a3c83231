// SPDX-License-Identifier: Apache-2.0
// The bodies of one rank, their tree, and the forces on them.
#pragma once

#include <span>
#include <vector>

#include "nbody/run/exchange.h"
#include "nbody/run/settings.h"
#include "nbody/tree/bodies.h"
#include "nbody/tree/key_sort.h"
#include "nbody/walk/walk.h"

namespace polyloom::nbody {

/// The parts of one force evaluation, in the order in which they are to be called. Knows nothing of other
/// ranks: trees come as views, and its own records lie where the caller wants them.
class Domain {
 public:
  Domain(const Settings& settings, fabric::Pool& pool) : settings_(settings), pool_(pool) {}

  Bodies bodies;

  /// [PH-key] Puts the bodies in the order of the curve in this frame. `known`: whether bodies.acceleration
  /// holds old accelerations; if not, this evaluation uses kFirstMac where the criterion needs them.
  /// `strongest`: the largest old acceleration of all ranks' bodies, in the user's units; 0: there are no
  /// others.
  void sort(const Frame& frame, bool known, double strongest = 0);
  /// [make tree] Returns the number of nodes.
  std::size_t make_tree();
  /// [calc MAC] Writes the records of the tree into `memory`, which must live until the walk.
  void summarize(std::span<NodeRecord> memory);
  TreeView tree() const { return tree_.view(); }
  const Tree& local_tree() const { return tree_; }
  /// What the others have to know; after summarize().
  Summary summary() const;
  /// [walk tree] Accelerations and potentials of the bodies from the local tree and those of others.
  void walk(std::span<const TreeView> others);

  const WalkStats& stats() const { return stats_; }
  std::span<const Point> points() const { return points_; }
  const Frame& frame() const { return frame_; }

 private:
  bool by_acceleration() const { return mac_.criterion == Criterion::kAcceleration; }

  const Settings settings_;
  fabric::Pool& pool_;
  Frame frame_;
  Mac mac_;  ///< of this evaluation
  std::vector<KeyPlace> places_, scratch_;
  std::vector<std::uint64_t> keys_;
  Bodies arranged_;  ///< memory for the next order
  std::vector<Point> points_;
  std::vector<float> old_;  ///< magnitudes of old accelerations in the frame's units
  float least_kappa_ = 0;   ///< of all ranks' groups; 0: not asked for
  Tree tree_;
  Walk walk_;
  WalkStats stats_;
};

}  // namespace polyloom::nbody
