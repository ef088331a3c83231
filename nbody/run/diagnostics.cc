// SPDX-License-Identifier: Apache-2.0
#include "nbody/run/diagnostics.h"

#include <algorithm>
#include <cmath>

#include "nbody/run/bytes.h"
#include "nbody/walk/kernels.h"

namespace polyloom::nbody {
namespace {

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct Columns {
  std::vector<double> x, y, z;
  explicit Columns(std::span<const Vec3> values) : x(values.size()), y(values.size()), z(values.size()) {
    for (std::size_t i = 0; i < values.size(); ++i)
      x[i] = values[i].x, y[i] = values[i].y, z[i] = values[i].z;
  }
};

/// Potentials of a rank's own bodies by direct summation over all ranks' bodies.
std::vector<double> direct_potentials(Exchange& exchange, fabric::Pool& pool, const Bodies& bodies,
                                      const Settings& settings) {
  const auto sources = gather_all<Vec3>(exchange, bodies.position);
  const auto mass = gather_all<double>(exchange, bodies.mass);
  return direct_field(pool, sources, mass, bodies.position, bodies.mass, settings.eps, settings.gravity)
      .potential;
}

}  // namespace

Field direct_field(fabric::Pool& pool, std::span<const Vec3> sources, std::span<const double> mass,
                   std::span<const Vec3> targets, std::span<const double> own, double eps, double gravity) {
  constexpr std::size_t kTargetsInBlock = 64;
  const Columns from(sources), at(targets);
  const std::size_t n = targets.size();
  std::vector<double> ax(n), ay(n), az(n), together(n);
  Field field{std::vector<Vec3>(n), std::vector<double>(n)};
  pool.run((n + kTargetsInBlock - 1) / kTargetsInBlock, [&](std::size_t block, unsigned) {
    const std::size_t t = block * kTargetsInBlock, count = std::min(kTargetsInBlock, n - t);
    kernels().direct(from.x.data(), from.y.data(), from.z.data(), mass.data(), sources.size(), &at.x[t],
                     &at.y[t], &at.z[t], count, eps * eps, &ax[t], &ay[t], &az[t], &field.potential[t],
                     &together[t]);
  });
  for (std::size_t i = 0; i < n; ++i) {
    field.acceleration[i] = gravity * Vec3{ax[i], ay[i], az[i]};
    if (eps > 0) field.potential[i] -= (together[i] - (own.empty() ? 0.0 : own[i])) / eps;
    field.potential[i] *= gravity;
  }
  return field;
}

Diagnostics diagnose(Exchange& exchange, fabric::Pool& pool, const Bodies& bodies, const Settings& settings,
                     bool direct) {
  std::vector<double> summed;
  if (direct) summed = direct_potentials(exchange, pool, bodies, settings);
  const std::vector<double>& potential = direct ? summed : bodies.potential;
  Diagnostics mine;
  mine.bodies = bodies.size();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double m = bodies.mass[i];
    const Vec3 &x = bodies.position[i], &v = bodies.velocity[i];
    mine.mass += m;
    mine.kinetic += 0.5 * m * dot(v, v);
    mine.potential += 0.5 * m * potential[i];
    mine.momentum = mine.momentum + m * v;
    mine.angular_momentum = mine.angular_momentum + m * cross(x, v);
    mine.centre = mine.centre + m * x;
  }
  Diagnostics all;
  for (const Diagnostics& d : gather(exchange, mine)) {
    all.bodies += d.bodies;
    all.mass += d.mass;
    all.kinetic += d.kinetic;
    all.potential += d.potential;
    all.momentum = all.momentum + d.momentum;
    all.angular_momentum = all.angular_momentum + d.angular_momentum;
    all.centre = all.centre + d.centre;
  }
  if (all.mass > 0) all.centre = (1 / all.mass) * all.centre;
  return all;
}

ForceErrors measure_forces(Exchange& exchange, fabric::Pool& pool, const Bodies& bodies,
                           const Settings& settings, std::size_t samples) {
  const auto sources = gather_all<Vec3>(exchange, bodies.position);
  const auto mass = gather_all<double>(exchange, bodies.mass);
  const std::size_t stride = std::max<std::size_t>(1, sources.size() / std::max<std::size_t>(1, samples));
  std::vector<Vec3> targets, forces;
  for (std::size_t i = stride / 2; i < bodies.size(); i += stride) {
    targets.push_back(bodies.position[i]);
    forces.push_back(bodies.acceleration[i]);
  }
  const Field exact = direct_field(pool, sources, mass, targets, {}, settings.eps, settings.gravity);
  std::vector<double> mine;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Vec3 a = exact.acceleration[i], off = forces[i] - a;
    if (const double size = std::sqrt(dot(a, a)); size > 0) mine.push_back(std::sqrt(dot(off, off)) / size);
  }
  auto errors = gather_all<double>(exchange, mine);
  ForceErrors result;
  result.samples = errors.size();
  if (errors.empty()) return result;
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double q) {
    return errors[static_cast<std::size_t>(q * static_cast<double>(errors.size() - 1))];
  };
  result.median = at(0.5);
  result.p90 = at(0.9);
  result.p99 = at(0.99);
  result.most = errors.back();
  for (const double e : errors) result.rms += e * e;
  result.rms = std::sqrt(result.rms / static_cast<double>(errors.size()));
  return result;
}

}  // namespace polyloom::nbody
