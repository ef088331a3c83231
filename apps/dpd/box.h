// SPDX-License-Identifier: Apache-2.0
// What the host knows of the particles: how they begin, the textbook's forces in double precision, and what
// is measured of them. Nothing here is shared with the vertices but the random numbers (draw.h). Lengths in
// cells (the cutoff is 1), masses 1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "apps/dpd/draw.h"
#include "polite/generators/counter_random.h"

namespace dpd {

using Vector = std::array<double, 3>;

/// Terms of a run.
struct Terms {
  uint32_t side;  ///< of the periodic cube
  uint32_t beads;
  double dt, a, gamma, kt;
  uint64_t seed;
  double sigma() const { return std::sqrt(2 * gamma * kt); }
  uint32_t key() const { return static_cast<uint32_t>(polyloom::polite::CounterRandom(seed).bits(0)); }
};

/// All beads at a step, by id: positions in [0, side).
struct Beads {
  uint32_t step = 0;
  std::vector<Vector> x;
  std::vector<Vector>
      half;  ///< velocities at the half step before, which forces depend on; of step 0: at that
  std::vector<Vector> kick;  ///< force * dt/2
  /// Velocity at the step itself.
  Vector v(std::size_t i) const {
    Vector sum = half[i];
    for (int k = 0; k < 3 && step > 0; ++k) sum[k] += kick[i][k];
    return sum;
  }
};

/// Calls visit(i, j, x_i - x_j) for each pair nearer than `reach`, once. A reach above 1 looks at all pairs.
template <typename Visit>
void each_pair(uint32_t side, const std::vector<Vector>& x, double reach, Visit visit) {
  const auto meet = [&](uint32_t i, uint32_t j) {
    Vector d;
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      d[k] = x[i][k] - x[j][k];
      d[k] -= side * std::round(d[k] / side);
      square += d[k] * d[k];
    }
    if (square < reach * reach) visit(i, j, d, std::sqrt(square));
  };
  const auto count = static_cast<uint32_t>(x.size());
  // Cells at least as wide as the reach; fewer than three in a row would be neighbours twice.
  const auto cells = static_cast<uint32_t>(side / reach);
  if (cells < 3) {
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t j = 0; j < i; ++j) meet(i, j);
    return;
  }
  std::vector<std::vector<uint32_t>> members(std::size_t{cells} * cells * cells);
  const auto place = [&](uint32_t a, uint32_t b, uint32_t c) -> std::vector<uint32_t>& {
    return members[a % cells + cells * (b % cells + std::size_t{cells} * (c % cells))];
  };
  const auto row = [&](double at) { return std::min(static_cast<uint32_t>(at / side * cells), cells - 1); };
  for (uint32_t i = 0; i < count; ++i) place(row(x[i][0]), row(x[i][1]), row(x[i][2])).push_back(i);
  for (uint32_t c = 0; c < cells; ++c)
    for (uint32_t b = 0; b < cells; ++b)
      for (uint32_t a = 0; a < cells; ++a)
        for (uint32_t n = 0; n < 27; ++n) {
          const auto& others = place(a + n % 3 + cells - 1, b + n / 3 % 3 + cells - 1, c + n / 9 + cells - 1);
          for (const uint32_t i : place(a, b, c))
            for (const uint32_t j : others)
              if (j < i) meet(i, j);
        }
}

/// Forces at a step (Groot, Warren 1997, equations 4 to 9; random numbers are uniform): sets `kick`, returns
/// the virial, the sum over pairs of distance * force.
inline double forces(const Terms& t, Beads& beads) {
  beads.kick.assign(beads.x.size(), Vector{});
  std::vector<uint32_t> drawn(beads.x.size());
  for (uint32_t i = 0; i < drawn.size(); ++i) drawn[i] = draw(i, t.key(), beads.step);
  double virial = 0;
  each_pair(t.side, beads.x, 1, [&](uint32_t i, uint32_t j, const Vector& d, double r) {
    if (r == 0) return;
    const double w = 1 - r, theta = pair_draw(drawn[i], drawn[j]) * (std::numbers::sqrt3 / 0x1p31);
    double approach = 0;
    for (int k = 0; k < 3; ++k) approach += d[k] / r * (beads.half[i][k] - beads.half[j][k]);
    const double force = t.a * w - t.gamma * w * w * approach + t.sigma() * w * theta / std::sqrt(t.dt);
    virial += force * r;
    for (int k = 0; k < 3; ++k) {
      const double kick = force * d[k] / r * t.dt / 2;
      beads.kick[i][k] += kick;
      beads.kick[j][k] -= kick;
    }
  });
  return virial;
}

/// Before the first step: on a cubic lattice from which each is moved a little, since beads at one place
/// would fly apart; velocities of the temperature, without momentum.
inline Beads at_start(const Terms& t) {
  Beads beads;
  const polyloom::polite::CounterRandom random(t.seed);
  uint64_t counter = 1;
  const auto unit = [&] { return random.unit(counter++) - 0.5; };
  uint64_t row = 1;
  while (row * row * row < t.beads) ++row;
  const double spacing = static_cast<double>(t.side) / static_cast<double>(row);
  Vector sum{};
  for (uint64_t i = 0; i < t.beads; ++i) {
    const auto site = static_cast<uint64_t>(static_cast<unsigned __int128>(i) * row * row * row / t.beads);
    const uint64_t along[3] = {site % row, site / row % row, site / row / row};
    Vector x, v;
    for (int k = 0; k < 3; ++k) {
      x[k] = (static_cast<double>(along[k]) + 0.5 + unit() / 2) * spacing;
      v[k] = 0;
      for (int n = 0; n < 12; ++n) v[k] += unit();  // nearly normal, and the same on every machine
      sum[k] += v[k];
    }
    beads.x.push_back(x);
    beads.half.push_back(v);
  }
  double squares = 0;
  for (Vector& v : beads.half)
    for (int k = 0; k < 3; ++k) {
      v[k] -= sum[k] / t.beads;
      squares += v[k] * v[k];
    }
  const double scale = std::sqrt(t.kt * 3 * (t.beads - 1.0) / squares);
  for (Vector& v : beads.half)
    for (double& component : v) component *= scale;
  return beads;
}

/// One time step, forces of its beginning given (velocity Verlet: half a kick, the way, forces, half a kick).
inline void advance(const Terms& t, Beads& beads) {
  for (std::size_t i = 0; i < beads.x.size(); ++i) {
    const Vector v = beads.v(i);
    for (int k = 0; k < 3; ++k) {
      beads.half[i][k] = v[k] + beads.kick[i][k];
      double& x = beads.x[i][k];
      x += beads.half[i][k] * t.dt;
      x -= t.side * std::floor(x / t.side);
    }
  }
  ++beads.step;
  forces(t, beads);
}

inline Vector momentum(const Beads& beads) {
  Vector sum{};
  for (std::size_t i = 0; i < beads.x.size(); ++i)
    for (int k = 0; k < 3; ++k) sum[k] += beads.v(i)[k];
  return sum;
}
/// Twice the kinetic energy.
inline double squares(const Beads& beads) {
  double sum = 0;
  for (std::size_t i = 0; i < beads.x.size(); ++i)
    for (const double v : beads.v(i)) sum += v * v;
  return sum;
}
/// In units of energy, by 3 (n-1) degrees of freedom.
inline double temperature(const Beads& beads) {
  return squares(beads) / (3 * (static_cast<double>(beads.x.size()) - 1));
}
/// Of the ideal gas and the virial of all three forces.
inline double pressure(const Terms& t, const Beads& beads, double virial) {
  return (squares(beads) + virial) / (3 * std::pow(t.side, 3));
}

/// Radial distribution: beads around a bead, over those that there would be without forces, in shells.
class RadialDistribution {
 public:
  static constexpr double kWidth = 0.05;
  /// Up to half of the cube, and 3 at most.
  explicit RadialDistribution(uint32_t side)
      : side_(side), pairs_(static_cast<std::size_t>(std::lround(std::min(side / 2.0, 3.0) / kWidth))) {}
  void add(const Beads& beads) {
    const double reach = kWidth * static_cast<double>(pairs_.size());
    each_pair(side_, beads.x, reach, [&](uint32_t, uint32_t, const Vector&, double r) {
      pairs_[std::min(static_cast<std::size_t>(r / kWidth), pairs_.size() - 1)] += 1;
    });
    const double n = static_cast<double>(beads.x.size());
    ideal_ += n * (n - 1) / 2 / std::pow(side_, 3);
  }
  std::size_t size() const { return pairs_.size(); }
  double radius(std::size_t shell) const { return (static_cast<double>(shell) + 0.5) * kWidth; }
  double operator[](std::size_t shell) const {
    const double inner = static_cast<double>(shell) * kWidth, outer = inner + kWidth;
    const double volume = 4 * std::numbers::pi / 3 * (std::pow(outer, 3) - std::pow(inner, 3));
    return pairs_[shell] / (ideal_ * volume);
  }

 private:
  uint32_t side_;
  std::vector<double> pairs_;
  double ideal_ = 0;
};

}  // namespace dpd
