// SPDX-License-Identifier: Apache-2.0
#include "nbody/tree/frame.h"

#include <algorithm>
#include <cmath>

namespace polyloom::nbody {
namespace {

/// The smallest power of two above `value`; 1 if the value is zero.
double power_above(double value) {
  if (!(value > 0)) return 1;
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent);
}

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
    e.moment = e.moment + mass[i] * p;
    e.mass += mass[i];
  }
  return e;
}

Frame make_frame(std::span<const Extent> extents) {
  Extent all;
  for (const Extent& e : extents) {
    if (e.count == 0) continue;
    if (all.count == 0) {
      all.low = e.low;
      all.high = e.high;
    }
    all.low = {std::min(all.low.x, e.low.x), std::min(all.low.y, e.low.y), std::min(all.low.z, e.low.z)};
    all.high = {std::max(all.high.x, e.high.x), std::max(all.high.y, e.high.y),
                std::max(all.high.z, e.high.z)};
    all.moment = all.moment + e.moment;
    all.mass += e.mass;
    all.count += e.count;
  }
  Frame f;
  if (all.count == 0) return f;
  f.mass = power_above(all.mass);
  f.origin = all.mass > 0 ? (1 / all.mass) * all.moment : 0.5 * (all.low + all.high);
  const Vec3 up = all.high - f.origin, down = f.origin - all.low;
  f.length = power_above(std::max({up.x, up.y, up.z, down.x, down.y, down.z}));
  return f;
}

}  // namespace polyloom::nbody
