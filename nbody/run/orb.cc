// SPDX-License-Identifier: Apache-2.0
#include "nbody/run/orb.h"

#include <algorithm>
#include <cmath>

namespace polyloom::nbody {
namespace {

double along(const Vec3& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/// The axis along which the positions reach farthest; the first of equals.
int longest_axis(std::span<const Vec3> positions) {
  int best = 0;
  double most = -1;
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] =
        std::minmax_element(positions.begin(), positions.end(),
                            [&](const Vec3& a, const Vec3& b) { return along(a, axis) < along(b, axis); });
    const double reach = positions.empty() ? 0 : along(*high, axis) - along(*low, axis);
    if (reach > most) {
      most = reach;
      best = axis;
    }
  }
  return best;
}

}  // namespace

Bisection::Bisection(std::vector<Vec3> samples, unsigned domains, double lattice) : lattice_(lattice) {
  cut(samples, 0, domains);
}

double Bisection::aligned(std::span<const Vec3> samples, int axis, double below, std::size_t middle) const {
  constexpr double kTolerance = 0.05;
  constexpr unsigned kLevels = 12;
  double side = lattice_;
  for (unsigned level = 0; level < kLevels && side > 0; ++level, side /= 2) {
    const double border = std::nearbyint(below / side) * side;
    const auto share =
        std::count_if(samples.begin(), samples.end(), [&](const Vec3& v) { return along(v, axis) < border; });
    const double off = static_cast<double>(share) - static_cast<double>(middle);
    if (std::abs(off) <= kTolerance * static_cast<double>(std::min(middle, samples.size() - middle)))
      return border;
  }
  return below;
}

void Bisection::cut(std::span<Vec3> samples, unsigned first, unsigned domains) {
  const std::size_t here = cuts_.size();
  cuts_.push_back({-1, 0, first});
  if (domains == 1) return;
  const unsigned lower = domains / 2;
  const int axis = longest_axis(samples);
  const std::size_t middle = samples.size() * lower / domains;
  double below = 0;
  if (middle < samples.size()) {
    std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(middle), samples.end(),
                     [&](const Vec3& a, const Vec3& b) { return along(a, axis) < along(b, axis); });
    below = aligned(samples, axis, along(samples[middle], axis), middle);
  }
  const auto split =
      std::partition(samples.begin(), samples.end(), [&](const Vec3& v) { return along(v, axis) < below; });
  const auto parted = static_cast<std::size_t>(split - samples.begin());
  cut(samples.first(parted), first, lower);
  cuts_[here] = {axis, below, static_cast<std::uint32_t>(cuts_.size())};
  cut(samples.subspan(parted), first + lower, domains - lower);
}

unsigned Bisection::owner(const Vec3& position) const {
  std::size_t at = 0;
  while (cuts_[at].axis >= 0)
    at = along(position, cuts_[at].axis) < cuts_[at].below ? at + 1 : cuts_[at].other;
  return cuts_[at].other;
}

}  // namespace polyloom::nbody
