// SPDX-License-Identifier: Apache-2.0
// The acceptance test of LETs and walks, bit by bit that of the LET operator. To be compiled with
// -ffp-contract=off: products and sums are rounded one by one.
#pragma once

#include "nbody/tree/record.h"

namespace polyloom::nbody {

/// Whether the node stands for all that is below it when seen from `target`. A comparison with NaN is false,
/// so such a node is opened.
inline bool accepted(const NodeRecord& n, const Target& target) {
  const auto off = [](float v, float low, float high) { return v - (v < low ? low : v > high ? high : v); };
  const float dx = off(n.x, target.min[0], target.max[0]);
  const float dy = off(n.y, target.min[1], target.max[1]);
  const float dz = off(n.z, target.min[2], target.max[2]);
  const float s = (dx * dx + dy * dy) + dz * dz;
  const float t = target.kappa * n.q + target.radius;
  const float u = (t * t) * kGuard;
  return n.q < 0.0f || u < s;
}

}  // namespace polyloom::nbody
