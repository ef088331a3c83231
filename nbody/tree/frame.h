// SPDX-License-Identifier: Apache-2.0
// The units in which trees are written: nearly all positions from -1 to 1, total mass at most 1, the constant
// of gravity 1.
#pragma once

#include <span>

#include "nbody/tree/bodies.h"

namespace polyloom::nbody {

/// What one domain knows of its bodies; a frame is made of all domains' extents.
struct Extent {
  Vec3 middle;       ///< median of each coordinate
  double reach = 0;  ///< nine tenths of the bodies are no farther from it, along any axis
  Vec3 low, high;
  double mass = 0;
  double strongest = 0;  ///< largest old acceleration, if it is asked for; not extent_of()'s
  std::uint64_t count = 0;
};
Extent extent_of(std::span<const Vec3> position, std::span<const double> mass);

/// Records hold fp32 values, so the origin is where most bodies are and the scales are powers of two: any
/// units of the user fit, a system that is far from zero loses nothing, and a few runaways do not coarsen the
/// keys of the others. All domains of a step use the same frame.
struct Frame {
  Vec3 origin;
  double length = 1, mass = 1;  ///< units of the frame, in the user's

  /// The origin is a multiple of length / kLattice, so cells of that side and below have the same borders
  /// whatever the origin. Domains that end on such borders cut few cells apart (Bisection).
  static constexpr double kLattice = 8;
  /// Keys have 21 bits an axis over [-1, 1). Runaways lie outside; they count to the nearest cell.
  static constexpr unsigned kBits = 21;
};
/// Depends on the values and their order only.
Frame make_frame(std::span<const Extent> extents);

/// A body in the frame. Fields as in a NodeRecord.
struct Point {
  float x, y, z, mass;
};

}  // namespace polyloom::nbody
