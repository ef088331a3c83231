// SPDX-License-Identifier: Apache-2.0
// What is conserved, and how good the forces are.
#pragma once

#include <span>
#include <vector>

#include "fabric/pool.h"
#include "nbody/run/exchange.h"
#include "nbody/run/settings.h"
#include "nbody/tree/bodies.h"

namespace polyloom::nbody {

struct Diagnostics {
  std::uint64_t bodies = 0;
  double mass = 0, kinetic = 0, potential = 0;
  Vec3 momentum, angular_momentum, centre;
  double energy() const { return kinetic + potential; }
};

/// Relative errors |a - a_direct| / |a_direct| of the sampled bodies.
struct ForceErrors {
  std::uint64_t samples = 0;
  double median = 0, p90 = 0, p99 = 0, most = 0, rms = 0;
};

/// Direct summation in fp64 of what `sources` exert on `targets`. Sources at no distance exert nothing; with
/// softening they count in the potential, but for a mass `own` of each target (empty: none).
struct Field {
  std::vector<Vec3> acceleration;
  std::vector<double> potential;
};
Field direct_field(fabric::Pool& pool, std::span<const Vec3> sources, std::span<const double> mass,
                   std::span<const Vec3> targets, std::span<const double> own, double eps, double gravity);

/// Collective, see Simulation.
Diagnostics diagnose(Exchange& exchange, fabric::Pool& pool, const Bodies& bodies, const Settings& settings,
                     bool direct);
ForceErrors measure_forces(Exchange& exchange, fabric::Pool& pool, const Bodies& bodies,
                           const Settings& settings, std::size_t samples);

}  // namespace polyloom::nbody
