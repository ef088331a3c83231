// SPDX-License-Identifier: Apache-2.0
// What the nodes of a tree contain: masses, centres, radii, second moments, and the radius of the criterion.
#include <algorithm>
#include <cmath>

#include "nbody/tree/tree.h"
#include "nbody/walk/kernels.h"

namespace polyloom::nbody {
namespace {

constexpr std::size_t kCellsInBlock = 64;

}  // namespace

void Tree::summarize(Pool& pool, std::span<const Point> points, const Mac& mac, bool second,
                     std::span<NodeRecord> out) {
  const std::size_t n = size();
  nodes_ = out;
  moments_.resize(n);
  radius_.resize(n);
  second_.assign(second ? n : 0, SecondMoment{});
  x_.resize(points.size());
  y_.resize(points.size());
  z_.resize(points.size());
  pool.run((n + 4095) / 4096, [&](std::size_t block, unsigned) {
    const std::size_t end = std::min(n, (block + 1) * 4096);
    for (std::size_t id = block * 4096; id < end; ++id) {
      if (count_[id] != 1) continue;
      const Point& p = points[first_[id]];
      x_[first_[id]] = p.x;
      y_[first_[id]] = p.y;
      z_[first_[id]] = p.z;
      out[id] = {-1.0f, p.x, p.y, p.z, p.mass, more_[id]};
      radius_[id] = 0;
    }
  });
  for (auto cell = cells_.rbegin(); cell != cells_.rend(); ++cell) {
    sum_children(*cell, points);
    if (second) sum_second(*cell, points);
  }
  pool.run((cells_.size() + kCellsInBlock - 1) / kCellsInBlock, [&](std::size_t block, unsigned) {
    const std::size_t end = std::min(cells_.size(), (block + 1) * kCellsInBlock);
    for (std::size_t cell = block * kCellsInBlock; cell < end; ++cell) {
      const std::uint32_t id = cells_[cell];
      const Moment& m = moments_[id];
      const auto mass = static_cast<float>(m.mass);
      const auto x = static_cast<float>(m.x), y = static_cast<float>(m.y), z = static_cast<float>(m.z);
      const std::uint32_t first = first_[id];
      // Rounding of the squared distance is below 2^-21 of it: a margin of 2^-20 makes it a bound.
      const float squared = kernels().max_distance2(&x_[first], &y_[first], &z_[first], count_[id], x, y, z);
      radius_[id] = std::sqrt(squared) * kGuard;
      out[id] = {critical_radius(static_cast<std::uint32_t>(cell), mass, radius_[id], mac),
                 x,
                 y,
                 z,
                 mass,
                 more_[id]};
    }
  });
}

void Tree::sum_children(std::uint32_t id, std::span<const Point> points) {
  const std::uint32_t first = first_child(more_[id]);
  const unsigned children = child_count(more_[id]);
  Moment sum{}, plain{};  // plain: without masses, for cells that have none
  for (std::uint32_t c = first; c < first + children; ++c) {
    Moment m;
    if (count_[c] == 1) {
      const Point& p = points[first_[c]];
      m = {p.mass, p.x, p.y, p.z};
    } else {
      m = moments_[c];
    }
    sum.mass += m.mass;
    sum.x += m.mass * m.x;
    sum.y += m.mass * m.y;
    sum.z += m.mass * m.z;
    plain.mass += count_[c];
    plain.x += count_[c] * m.x;
    plain.y += count_[c] * m.y;
    plain.z += count_[c] * m.z;
  }
  const Moment& weights = sum.mass > 0 ? sum : plain;
  moments_[id] = {sum.mass, weights.x / weights.mass, weights.y / weights.mass, weights.z / weights.mass};
}

void Tree::sum_second(std::uint32_t id, std::span<const Point> points) {
  const std::uint32_t first = first_child(more_[id]);
  const unsigned children = child_count(more_[id]);
  const Moment& own = moments_[id];
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (std::uint32_t c = first; c < first + children; ++c) {
    Moment m;
    if (count_[c] == 1) {
      const Point& p = points[first_[c]];
      m = {p.mass, p.x, p.y, p.z};
    } else {
      m = moments_[c];
    }
    const double dx = m.x - own.x, dy = m.y - own.y, dz = m.z - own.z;
    const SecondMoment& s = second_[c];  // about the child's own centre
    xx += s.xx + m.mass * dx * dx;
    xy += s.xy + m.mass * dx * dy;
    xz += s.xz + m.mass * dx * dz;
    yy += s.yy + m.mass * dy * dy;
    yz += s.yz + m.mass * dy * dz;
    zz += s.zz + m.mass * dz * dz;
  }
  second_[id] = {static_cast<float>(xx), static_cast<float>(xy), static_cast<float>(xz),
                 static_cast<float>(yy), static_cast<float>(yz), static_cast<float>(zz)};
}

float Tree::critical_radius(std::uint32_t cell, float mass, float radius, const Mac& mac) const {
  // With theta above 1 a body could accept a cell that it is in: q is never below the radius.
  switch (mac.criterion) {
    case Criterion::kSide:
      return std::max(side_[cell] / static_cast<float>(mac.theta), radius);
    case Criterion::kAngle:
      return std::max(radius / static_cast<float>(mac.theta), radius);
    case Criterion::kAcceleration:
      break;  // depends on who looks: the walk of the local tree compares the radius by itself
  }
  return std::sqrt(std::sqrt(mass) * radius);
}

}  // namespace polyloom::nbody
