// SPDX-License-Identifier: Apache-2.0
// Forces from trees: interaction lists for groups of neighbouring bodies.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fabric/pool.h"
#include "nbody/tree/frame.h"
#include "nbody/tree/record.h"
#include "nbody/walk/kernels.h"

namespace polyloom::nbody {

/// kappa of a target whose smallest old acceleration is `smallest` (in the frame's units). Falls as
/// `smallest` grows, step by step of its rounding: the kappa of a domain is never below that of a group in
/// it.
float acceleration_kappa(float smallest, double delta);

struct WalkOptions {
  float eps = 0;        ///< softening, in the frame's units
  unsigned group = 32;  ///< bodies that share a list, 1 .. 64
  double delta = 0;     ///< of the acceleration criterion; 0: another, whose q is complete
};

struct WalkStats {
  std::uint64_t points = 0;  ///< interactions of a body with a body or a node's mass
  std::uint64_t cells = 0;   ///< with a node that has second moments
  std::uint64_t lists = 0;   ///< sum of the lengths of the groups' lists
};

/// A list of trees, each copied into one array a field, and the walk over them. Trees may lie anywhere and
/// need not outlive add(). Results do not depend on the number of workers, nor on whether a tree is whole or
/// a LET of it for a box that contains the group.
class Walk {
 public:
  void clear() { used_ = 0; }
  /// `radius`: for the local tree under the acceleration criterion, see Tree::radius().
  void add(fabric::Pool& pool, const TreeView& tree, std::span<const float> radius = {});

  /// Forces on `bodies`, neighbours one after the other. `old`: magnitudes of their old accelerations, in the
  /// frame's units; needed if delta is set. Results in the frame's units, the bodies' own potentials taken
  /// away.
  WalkStats run(fabric::Pool& pool, const WalkOptions& options, std::span<const Point> bodies,
                std::span<const float> old, std::span<Vec3> acceleration, std::span<double> potential);

 private:
  struct Fields {
    std::vector<float> values[6];  ///< q x y z mass radius
    std::vector<float> second[6];
    std::vector<std::uint32_t> more;
    std::uint32_t size = 0;
  };
  struct Worker {
    std::unique_ptr<Scratch> scratch;
    std::vector<Scratch::Range> queue;
    std::unique_ptr<Group> group;
  };
  void prepare_workers(unsigned count);

  std::vector<Fields> trees_;  ///< the first used_ are the list; the others keep their memory
  std::size_t used_ = 0;
  std::vector<Worker> workers_;
};

}  // namespace polyloom::nbody
