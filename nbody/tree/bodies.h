// SPDX-License-Identifier: Apache-2.0
// Bodies as a simulation holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polyloom::nbody {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};
inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double k, Vec3 a) { return {k * a.x, k * a.y, k * a.z}; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Arrays of one length. `id` names a body for good; its place in the arrays changes.
struct Bodies {
  std::vector<Vec3> position, velocity, acceleration;
  std::vector<double> mass, potential;
  std::vector<std::uint64_t> id;

  std::size_t size() const { return position.size(); }
  void resize(std::size_t count);
  /// Copies element `from` of other bodies to place i.
  void take(std::size_t i, const Bodies& other, std::size_t from) {
    position[i] = other.position[from];
    velocity[i] = other.velocity.empty() ? Vec3{} : other.velocity[from];
    acceleration[i] = other.acceleration[from];
    mass[i] = other.mass[from];
    potential[i] = other.potential[from];
    id[i] = other.id[from];
  }
  /// Element i becomes what element order[i] was. `order` may also be shorter, and leave bodies out.
  void arrange(std::span<const std::uint32_t> order);
};

/// Throws UserError naming the first body (by its place) whose position, velocity or mass is not finite or
/// beyond 1e150, or whose mass is negative. An empty `velocity` is not looked at.
void check_bodies(std::span<const Vec3> position, std::span<const Vec3> velocity,
                  std::span<const double> mass);

/// Throws UserError naming the first body, by its id, that a step has sent where no number reaches.
void check_positions(std::span<const Vec3> position, std::span<const std::uint64_t> id, std::uint64_t step);

}  // namespace polyloom::nbody
