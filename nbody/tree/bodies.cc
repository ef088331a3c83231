// SPDX-License-Identifier: Apache-2.0
#include "nbody/tree/bodies.h"

#include <cmath>
#include <string>

#include "fabric/error.h"

namespace polyloom::nbody {
namespace {

template <typename T>
void pick(std::vector<T>& values, std::span<const std::uint32_t> order) {
  if (values.empty()) return;
  std::vector<T> arranged(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) arranged[i] = values[order[i]];
  values.swap(arranged);
}

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

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
    if (finite(position[i]) && (velocity.empty() || finite(velocity[i])) && mass[i] >= 0 &&
        std::isfinite(mass[i])) {
      continue;
    }
    const std::string body = "body " + std::to_string(i);
    if (!finite(position[i]))
      throw UserError(body + ": its position is not finite; every coordinate must be");
    if (!velocity.empty() && !finite(velocity[i])) {
      throw UserError(body + ": its velocity is not finite; every component must be");
    }
    throw UserError(body + ": its mass is " + std::to_string(mass[i]) +
                    "; a mass is finite and not negative");
  }
}

}  // namespace polyloom::nbody
