// SPDX-License-Identifier: Apache-2.0
#include "nbody/run/domain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "fabric/error.h"
#include "nbody/tree/hilbert.h"

namespace polyloom::nbody {
namespace {

constexpr std::size_t kBodiesInBlock = 4096;

template <typename Body>
void for_each_body(fabric::Pool& pool, std::size_t count, const Body& body) {
  pool.run((count + kBodiesInBlock - 1) / kBodiesInBlock, [&](std::size_t block, unsigned) {
    const std::size_t end = std::min(count, (block + 1) * kBodiesInBlock);
    for (std::size_t i = block * kBodiesInBlock; i < end; ++i) body(i);
  });
}

/// The cell of a coordinate in [-1, 1); what lies outside counts to the border.
std::uint32_t cell_of(double v) {
  constexpr double kCells = 1u << Frame::kBits;
  return static_cast<std::uint32_t>(std::clamp((v + 1) * (kCells / 2), 0.0, kCells - 1));
}

/// Widens a sphere so that whatever a box inside of it would open is opened for the sphere: kappa q + R < D
/// has to imply kappa q < (D - R) in spite of roundings of 6 x 2^-24 of D on either side. D is at most about
/// kappa q + R, so it is enough that both grow by 2^-19.
constexpr float kSphereMargin = 1.0f + 0x1p-19f;

/// Softening so many times as long as the system makes forces that fp32 does not hold: 1 / eps^3.
constexpr double kLongestSoftening = 1e12;

double in_frame(double eps, double length) {
  if (eps <= kLongestSoftening * length) return eps / length;
  char text[160];
  std::snprintf(
      text, sizeof text,
      "eps %g: more than %g times as long as the system of bodies (%g), so all forces would be lost in "
      "single precision; give a smaller one",
      eps, kLongestSoftening, length);
  throw UserError(text);
}

}  // namespace

void Domain::sort(const Frame& frame, bool known, double strongest) {
  frame_ = frame;
  mac_ = settings_.mac.criterion == Criterion::kAcceleration && !known ? kFirstMac : settings_.mac;
  const std::size_t n = bodies.size();
  const double scale = 1 / frame.length;
  places_.resize(n);
  for_each_body(pool_, n, [&](std::size_t i) {
    const Vec3 p = scale * (bodies.position[i] - frame.origin);
    places_[i] = {hilbert_key(cell_of(p.x), cell_of(p.y), cell_of(p.z), Frame::kBits),
                  static_cast<std::uint32_t>(i)};
  });
  sort_by_key(places_, scratch_, bodies.id);
  keys_.resize(n);
  arranged_.resize(n);
  for_each_body(pool_, n, [&](std::size_t i) {
    keys_[i] = places_[i].key;
    arranged_.take(i, bodies, places_[i].place);
  });
  std::swap(bodies, arranged_);
  points_.resize(n);
  old_.resize(n);
  const double to_frame = frame.length * frame.length / (settings_.gravity * frame.mass);
  for_each_body(pool_, n, [&](std::size_t i) {
    const Vec3 p = scale * (bodies.position[i] - frame.origin), a = bodies.acceleration[i];
    points_[i] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z),
                  static_cast<float>(bodies.mass[i] / frame.mass)};
    old_[i] = static_cast<float>(std::sqrt(dot(a, a)) * to_frame);
  });
  least_kappa_ = strongest > 0 ? acceleration_kappa(static_cast<float>(strongest * to_frame), mac_.delta) : 0;
}

std::size_t Domain::make_tree() {
  tree_.make(keys_, settings_.leaf);
  return tree_.size();
}

void Domain::summarize(std::span<NodeRecord> memory) {
  tree_.summarize(pool_, points_, mac_, least_kappa_, settings_.quadrupole, memory);
}

Summary Domain::summary() const {
  Summary w{};
  if (points_.empty()) return w;
  w.any = true;
  w.root = tree_.view().nodes[0];
  w.nodes = tree_.size();
  Target& t = w.target;
  t.kappa =
      by_acceleration() ? acceleration_kappa(*std::min_element(old_.begin(), old_.end()), mac_.delta) : 1.0f;
  t.min[0] = t.max[0] = points_[0].x;
  t.min[1] = t.max[1] = points_[0].y;
  t.min[2] = t.max[2] = points_[0].z;
  for (const Point& p : points_) {
    const float v[3] = {p.x, p.y, p.z};
    for (unsigned k = 0; k < 3; ++k) {
      t.min[k] = std::min(t.min[k], v[k]);
      t.max[k] = std::max(t.max[k], v[k]);
    }
  }
  if (settings_.target == TargetShape::kBox) return w;
  // About the centre of the distribution, as in the PEACH2 paper.
  double mean[3] = {0, 0, 0};
  for (const Point& p : points_) mean[0] += p.x, mean[1] += p.y, mean[2] += p.z;
  for (unsigned k = 0; k < 3; ++k) {
    t.min[k] = t.max[k] = static_cast<float>(mean[k] / static_cast<double>(points_.size()));
  }
  // Groups look out of their boxes, whose corners may reach beyond all bodies.
  double most = 0;
  for (std::size_t first = 0; first < points_.size(); first += settings_.group) {
    double far[3] = {0, 0, 0};
    for (std::size_t i = first; i < std::min(points_.size(), first + settings_.group); ++i) {
      const float v[3] = {points_[i].x, points_[i].y, points_[i].z};
      for (unsigned k = 0; k < 3; ++k) far[k] = std::max(far[k], std::abs(double{v[k]} - t.min[k]));
    }
    most = std::max(most, far[0] * far[0] + far[1] * far[1] + far[2] * far[2]);
  }
  t.radius = static_cast<float>(std::sqrt(most)) * kSphereMargin;
  t.kappa *= kSphereMargin;
  return w;
}

void Domain::walk(std::span<const TreeView> others) {
  const std::size_t n = bodies.size();
  walk_.clear();
  walk_.add(pool_, tree_.view(), by_acceleration() ? tree_.radius() : std::span<const float>{});
  for (const TreeView& other : others) walk_.add(pool_, other);
  WalkOptions options;
  options.eps = static_cast<float>(in_frame(settings_.eps, frame_.length));
  options.group = settings_.group;
  options.delta = by_acceleration() ? mac_.delta : 0;
  stats_ = walk_.run(pool_, options, points_, old_, bodies.acceleration, bodies.potential);
  const double a = settings_.gravity * frame_.mass / (frame_.length * frame_.length);
  const double p = settings_.gravity * frame_.mass / frame_.length;
  for_each_body(pool_, n, [&](std::size_t i) {
    bodies.acceleration[i] = a * bodies.acceleration[i];
    bodies.potential[i] *= p;
  });
}

}  // namespace polyloom::nbody
