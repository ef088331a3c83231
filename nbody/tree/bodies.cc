// SPDX-License-Identifier: Apache-2.0
#include "nbody/tree/bodies.h"

#include <cmath>
#include <string>

#include "fabric/error.h"

namespace polyloom::nbody {
namespace {

/// Squares of what is larger are no numbers.
constexpr double kLargest = 1e150;

template <typename T>
void pick(std::vector<T>& values, std::span<const std::uint32_t> order) {
  if (values.empty()) return;
  std::vector<T> arranged(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) arranged[i] = values[order[i]];
  values.swap(arranged);
}

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

bool within(const Vec3& v) {
  return std::abs(v.x) <= kLargest && std::abs(v.y) <= kLargest && std::abs(v.z) <= kLargest;
}

}  // namespace

void Bodies::resize(std::size_t count) {
  position.resize(count);
  velocity.resize(count);
  acceleration.resize(count);
  mass.resize(count);
  potential.resize(count);
  id.resize(count);
}

void Bodies::arrange(std::span<const std::uint32_t> order) {
  pick(position, order);
  pick(velocity, order);
  pick(acceleration, order);
  pick(mass, order);
  pick(potential, order);
  pick(id, order);
}

void check_bodies(std::span<const Vec3> position, std::span<const Vec3> velocity,
                  std::span<const double> mass) {
  for (std::size_t i = 0; i < position.size(); ++i) {
    const bool moves = !velocity.empty();
    if (within(position[i]) && (!moves || within(velocity[i])) && mass[i] >= 0 && mass[i] <= kLargest)
      continue;
    const std::string body = "body " + std::to_string(i);
    if (!finite(position[i]))
      throw UserError(body + ": its position is not finite; every coordinate must be");
    if (moves && !finite(velocity[i])) {
      throw UserError(body + ": its velocity is not finite; every component must be");
    }
    if (!(mass[i] >= 0) || !std::isfinite(mass[i])) {
      throw UserError(body + ": its mass is " + std::to_string(mass[i]) +
                      "; a mass is finite and not negative");
    }
    throw UserError(body + ": its position, velocity or mass is beyond 1e150; use larger units");
  }
}

void check_positions(std::span<const Vec3> position, std::span<const std::uint64_t> id, std::uint64_t step) {
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (within(position[i])) continue;
    throw UserError("body " + std::to_string(id[i]) + " left all bounds in step " + std::to_string(step) +
                    "; use a smaller dt or more softening");
  }
}

}  // namespace polyloom::nbody
