// SPDX-License-Identifier: Apache-2.0
#include "nbody/tree/frame.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace polyloom::nbody {
namespace {

/// The smallest power of two above `value`; 1 if the value is zero.
double power_above(double value) {
  if (!(value > 0)) return 1;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent);
}

constexpr std::size_t kFrameSamples = 1024;
/// The frame reaches this many times as far as nine tenths of the bodies do, or to the farthest if that is
/// nearer.
constexpr double kRoom = 64;
/// Coordinates never exceed this: their squares are numbers in fp32.
constexpr double kFarthest = 1e15;

/// The value below which `part` of the weights lie.
double quantile(std::vector<std::pair<double, double>> weighted, double part) {
  std::sort(weighted.begin(), weighted.end());
  double all = 0, sum = 0;
  for (const auto& [value, weight] : weighted) all += weight;
  for (const auto& [value, weight] : weighted) {
    sum += weight;
    if (sum >= part * all) return value;
  }
  return 0;
}

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

}  // namespace

Extent extent_of(std::span<const Vec3> position, std::span<const double> mass) {
  Extent e;
  e.count = position.size();
  if (position.empty()) return e;
  e.low = e.high = position[0];
  for (std::size_t i = 0; i < position.size(); ++i) {
    const Vec3& p = position[i];
    e.low = {std::min(e.low.x, p.x), std::min(e.low.y, p.y), std::min(e.low.z, p.z)};
    e.high = {std::max(e.high.x, p.x), std::max(e.high.y, p.y), std::max(e.high.z, p.z)};
    e.mass += mass[i];
  }
  std::vector<double> x, y, z, away;
  const std::size_t stride = position.size() / kFrameSamples + 1;
  for (std::size_t i = stride / 2; i < position.size(); i += stride) {
    x.push_back(position[i].x);
    y.push_back(position[i].y);
    z.push_back(position[i].z);
  }
  const auto pick = [](std::vector<double>& values, std::size_t place) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
    return values[place];
  };
  e.middle = {pick(x, x.size() / 2), pick(y, y.size() / 2), pick(z, z.size() / 2)};
  for (std::size_t i = stride / 2; i < position.size(); i += stride)
    away.push_back(largest(position[i] - e.middle));
  e.reach = pick(away, away.size() * 9 / 10);
  return e;
}

Frame make_frame(std::span<const Extent> extents) {
  Frame f;
  double mass = 0;
  std::vector<std::pair<double, double>> x, y, z, reach;
  for (const Extent& e : extents) {
    if (e.count == 0) continue;
    const auto weight = static_cast<double>(e.count);
    x.emplace_back(e.middle.x, weight);
    y.emplace_back(e.middle.y, weight);
    z.emplace_back(e.middle.z, weight);
    mass += e.mass;
  }
  f.mass = power_above(mass);
  const Vec3 middle = {quantile(x, 0.5), quantile(y, 0.5), quantile(z, 0.5)};
  const auto farthest_from = [&](const Vec3& origin) {
    double farthest = 0;
    for (const Extent& e : extents) {
      if (e.count == 0) continue;
      farthest = std::max({farthest, largest(e.high - origin), largest(e.low - origin)});
    }
    return farthest;
  };
  for (const Extent& e : extents) {
    if (e.count == 0) continue;
    reach.emplace_back(largest(e.middle - middle) + e.reach, static_cast<double>(e.count));
  }
  const double near = quantile(reach, 0.9), farthest = farthest_from(middle);
  const double wanted = near > 0 ? std::clamp(kRoom * near, farthest / kFarthest, farthest) : farthest;
  f.length = power_above(wanted);
  const auto on_lattice = [&](double v) {
    return std::nearbyint(v / f.length * Frame::kLattice) * f.length / Frame::kLattice;
  };
  f.origin = {on_lattice(middle.x), on_lattice(middle.y), on_lattice(middle.z)};
  if (wanted == farthest && farthest_from(f.origin) >= f.length) {
    f.length *= 2;
    f.origin = {on_lattice(middle.x), on_lattice(middle.y), on_lattice(middle.z)};
  }
  return f;
}

}  // namespace polyloom::nbody
