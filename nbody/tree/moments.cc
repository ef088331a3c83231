// SPDX-License-Identifier: Apache-2.0
// What the nodes of a tree contain: masses, centres, radii, second moments, and the radius of the criterion.
#include <algorithm>
#include <cmath>

#include "nbody/tree/tree.h"
#include "nbody/walk/kernels.h"

namespace polyloom::nbody {
namespace {

constexpr std::size_t kCellsInBlock = 64;
/// Wider cells, of runaways, count as points: fp32 does not hold their second moments times squared
/// distances.
constexpr float kWidest = 1000;

}  // namespace

void Tree::summarize(fabric::Pool& pool, std::span<const Point> points, const Mac& mac, float least_kappa,
                     bool second, std::span<NodeRecord> out) {
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
      if (second && radius_[id] > kWidest) second_[id] = {};
      out[id] = {critical_radius(static_cast<std::uint32_t>(cell), points, radius_[id], mac, least_kappa),
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

float Tree::critical_radius(std::uint32_t cell, std::span<const Point> points, float radius, const Mac& mac,
                            float least_kappa) const {
  switch (mac.criterion) {
    case Criterion::kSide: {
      // Runaways count to cells of the border (frame.h), which are then wider than their side.
      const float side = 2 * radius > side_[cell] ? std::max(side_[cell], width(cells_[cell])) : side_[cell];
      return std::max(side / static_cast<float>(mac.theta), kNearest * radius);
    }
    case Criterion::kAngle:
      // With theta above 1 a body could accept a cell that it is in: q is never below the radius.
      return std::max(radius / static_cast<float>(mac.theta), radius);
    case Criterion::kAcceleration:
      break;
  }
  const std::uint32_t id = cells_[cell];
  const float q = std::sqrt(std::sqrt(static_cast<float>(moments_[id].mass)) * radius);
  if (least_kappa == 0) return q;
  // Of the others' targets, whose kappas differ, only the least is known: a bound for the cells that need it.
  const float nearest = kNearest * radius / least_kappa;
  return nearest > q && radius > kLopsided * spread(id, points) ? nearest : q;
}

/// The root of the mean squared distance, by mass, of a node's bodies from their centre of mass.
float Tree::spread(std::uint32_t id, std::span<const Point> points) const {
  const Moment& m = moments_[id];
  double sum = 0;
  for (const Point& p : points.subspan(first_[id], count_[id])) {
    const double dx = p.x - m.x, dy = p.y - m.y, dz = p.z - m.z;
    sum += p.mass * (dx * dx + dy * dy + dz * dz);
  }
  return m.mass > 0 ? static_cast<float>(std::sqrt(sum / m.mass)) : 0.0f;
}

/// The longest side of the box around a node's bodies.
float Tree::width(std::uint32_t id) const {
  float most = 0;
  for (const std::vector<float>* axis : {&x_, &y_, &z_}) {
    const auto begin = axis->begin() + first_[id];
    const auto [low, high] = std::minmax_element(begin, begin + count_[id]);
    most = std::max(most, *high - *low);
  }
  return most;
}

}  // namespace polyloom::nbody
