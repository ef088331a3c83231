// SPDX-License-Identifier: Apache-2.0
// Standard initial conditions, the same for a seed on every machine. Units: G = 1.
#pragma once

#include <string>
#include <vector>

#include "nbody/tree/bodies.h"

namespace polyloom::nbody {

/// A problem by name; `count` is fixed at 2 for kepler. Ids are 0 .. count - 1.
///   plummer      M = 1, E = -1/4 (scale 3 pi / 16), cut at 10 scales, velocities from the distribution
///                function
///   cold-sphere  M = 1, uniform, radius 3, at rest
///   hernquist    M = 1, scale 1, cut at 30 scales, isotropic velocities of the local dispersion, below
///                escape
///   kepler       masses 2 and 1, a = 1, e = 0.1, at apocentre, E = -1
/// The centre of mass is at rest in the origin. Throws UserError for another name, or if count is 0.
Bodies make_problem(const std::string& name, std::size_t count, std::uint64_t seed);

/// Names that make_problem knows.
std::vector<std::string> problem_names();

}  // namespace polyloom::nbody
