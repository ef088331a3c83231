// SPDX-License-Identifier: Apache-2.0
#include "nbody/problems/problems.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fabric/error.h"

namespace polyloom::nbody {
namespace {

constexpr double kPi = std::numbers::pi;

/// SplitMix64: the standard library's distributions are not the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// In (0, 1).
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (static_cast<double>(z >> 12) + 0.5) * 0x1p-52;
  }
  /// A vector of this length in any direction.
  Vec3 isotropic(double length) {
    const double z = 2 * uniform() - 1, phi = 2 * kPi * uniform();
    const double flat = std::sqrt(1 - z * z);
    return length * Vec3{flat * std::cos(phi), flat * std::sin(phi), z};
  }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * kPi * uniform()); }

 private:
  std::uint64_t state_;
};

void plummer(Bodies& bodies, Random& random) {
  constexpr double kScale = 3 * kPi / 16, kCut = 10;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double r = 0;
    do {
      r = 1 / std::sqrt(std::pow(random.uniform(), -2.0 / 3) - 1);
    } while (r > kCut);
    bodies.position[i] = random.isotropic(kScale * r);
    // v = q escape velocity, q from q^2 (1 - q^2)^3.5, whose maximum is below 0.1 (Aarseth, Henon, Wielen
    // 1974).
    double q = 0, y = 0;
    do {
      q = random.uniform();
      y = 0.1 * random.uniform();
    } while (y > q * q * std::pow(1 - q * q, 3.5));
    bodies.velocity[i] = random.isotropic(q * std::sqrt(2 / kScale) * std::pow(1 + r * r, -0.25));
  }
}

void cold_sphere(Bodies& bodies, Random& random) {
  constexpr double kRadius = 3;
  for (Vec3& p : bodies.position) p = random.isotropic(kRadius * std::cbrt(random.uniform()));
}

/// Radial velocity dispersion of an isotropic Hernquist sphere with G = M = a = 1 (Hernquist 1990, equation
/// 10).
double hernquist_dispersion2(double r) {
  const double series = 12 * r * std::pow(1 + r, 3) * std::log((1 + r) / r) -
                        r / (1 + r) * (25 + 52 * r + 42 * r * r + 12 * r * r * r);
  return std::max(series / 12, 0.0);
}

void hernquist(Bodies& bodies, Random& random) {
  constexpr double kCut = 30, kMostEnergy = 0.95;  // no body is put at the edge of escape
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double r = 0;
    do {
      const double root = std::sqrt(random.uniform());
      r = root / (1 - root);
    } while (r > kCut);
    bodies.position[i] = random.isotropic(r);
    const double sigma = std::sqrt(hernquist_dispersion2(r)), limit = kMostEnergy * std::sqrt(2 / (1 + r));
    Vec3 v;
    do {
      v = {sigma * random.normal(), sigma * random.normal(), sigma * random.normal()};
    } while (dot(v, v) > limit * limit);
    bodies.velocity[i] = v;
  }
}

void kepler(Bodies& bodies) {
  constexpr double kAxis = 1, kEccentricity = 0.1, kHeavy = 2, kLight = 1, kMass = kHeavy + kLight;
  const double apart = kAxis * (1 + kEccentricity);
  const double speed = std::sqrt(kMass / kAxis * (1 - kEccentricity) / (1 + kEccentricity));
  bodies.mass = {kHeavy, kLight};
  bodies.position = {{-apart * kLight / kMass, 0, 0}, {apart * kHeavy / kMass, 0, 0}};
  bodies.velocity = {{0, -speed * kLight / kMass, 0}, {0, speed * kHeavy / kMass, 0}};
}

void centre(Bodies& bodies) {
  Vec3 x, v;
  double mass = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    x = x + bodies.mass[i] * bodies.position[i];
    v = v + bodies.mass[i] * bodies.velocity[i];
    mass += bodies.mass[i];
  }
  for (Vec3& p : bodies.position) p = p - (1 / mass) * x;
  for (Vec3& p : bodies.velocity) p = p - (1 / mass) * v;
}

}  // namespace

std::vector<std::string> problem_names() { return {"plummer", "cold-sphere", "hernquist", "kepler"}; }

Bodies make_problem(const std::string& name, std::size_t count, std::uint64_t seed) {
  if (count == 0) throw UserError("a problem has at least one body");
  if (name == "kepler") count = 2;
  Bodies bodies;
  bodies.resize(count);
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.id[i] = i;
    bodies.mass[i] = 1 / static_cast<double>(count);
  }
  if (name == "plummer") {
    plummer(bodies, random);
  } else if (name == "cold-sphere") {
    cold_sphere(bodies, random);
  } else if (name == "hernquist") {
    hernquist(bodies, random);
  } else if (name == "kepler") {
    kepler(bodies);
    return bodies;
  } else {
    throw UserError("no problem '" + name + "'; there are: plummer, cold-sphere, hernquist, kepler");
  }
  centre(bodies);
  return bodies;
}

}  // namespace polyloom::nbody
