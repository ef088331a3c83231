// SPDX-License-Identifier: Apache-2.0
#include "fabric/fault.h"

#include <cmath>
#include <limits>

namespace polyloom::fabric {
namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 62;  // beyond any number of bits that a run can send

/// Natural logarithm of x in (0, 1] by range reduction and the series of atanh; error below 1e-15 relative.
/// The C library's may round differently from one processor to the next, and a gap must not.
double plain_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 25; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * 0.69314718055994531;
}

/// ln(1 - p) without cancellation for small p.
double plain_log1m(double p) {
  if (p > 0.25) return plain_log(1 - p);
  const double s = -p / (2 - p), s2 = s * s;  // ln((1+s)/(1-s)) with (1+s)/(1-s) = 1-p
  double sum = 0;
  for (int k = 25; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum;
}

}  // namespace

std::uint64_t geometric_gap(double p, std::uint64_t draw) {
  if (p >= 1) return 0;
  const double u = (static_cast<double>(draw >> 11) + 1) * 0x1p-53;  // (0, 1]
  const double gap = plain_log(u) / plain_log1m(p);
  return gap < static_cast<double>(kFar) ? static_cast<std::uint64_t>(gap) : kFar;
}

FaultModel::FaultModel(double bit_error_rate, double drop_rate, std::uint64_t seed, std::uint64_t link)
    : bit_error_rate_(bit_error_rate), drop_rate_(drop_rate), seed_(seed), link_(link) {
  until_error_ = bit_error_rate_ > 0 ? next_gap() : kFar;
}

bool FaultModel::drops_frame() {
  if (drop_rate_ <= 0) return false;
  const double u = static_cast<double>(fault_draw(seed_, link_, 2, frames_++) >> 11) * 0x1p-53;  // [0, 1)
  return u < drop_rate_;
}

std::uint64_t FaultModel::corrupt(std::vector<std::uint64_t>& words, unsigned keep) {
  if (words.empty() || bit_error_rate_ <= 0) return 0;
  const std::uint64_t bits = 64 * (words.size() - 1) + 8 * keep;
  std::uint64_t flipped = 0;
  while (until_error_ < bits) {
    words[until_error_ / 64] ^= std::uint64_t{1} << (until_error_ % 64);
    ++flipped;
    until_error_ += 1 + next_gap();
  }
  until_error_ -= bits;
  return flipped;
}

}  // namespace polyloom::fabric
