// SPDX-License-Identifier: Apache-2.0
// Built with -O3: the loops here are for the vectoriser.
#include "roles/collective/host/runtime/native_reduce.h"

#include <algorithm>
#include <array>
#include <bit>

namespace polyloom::collective {
namespace {

constexpr std::uint32_t kNan = 0x7fc00000;
constexpr std::size_t kMostInputs = 64;
using Block = std::array<std::uint32_t, kBlockElements>;

bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

// Floats as integers in the same order, -0 below +0; its own inverse.
std::int32_t ordered(std::uint32_t bits) {
  const auto value = static_cast<std::int32_t>(bits);
  return value ^ (value >> 31 & 0x7fffffff);
}

/// A NaN stays one through all further sums; one_nan() makes it the operator's.
struct SumFloat {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return std::bit_cast<std::uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  }
};
struct SumInt {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};
template <bool kSmaller>
struct ExtremeInt {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    return (x < y) == kSmaller ? a : b;
  }
};
/// A NaN loses; of two the result is the one NaN.
template <bool kSmaller>
struct ExtremeFloat {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    constexpr std::int32_t kLoses = kSmaller ? INT32_MAX : INT32_MIN;  // beyond both infinities
    const std::int32_t x = is_nan(a) ? kLoses : ordered(a), y = is_nan(b) ? kLoses : ordered(b);
    const std::int32_t won = (x < y) == kSmaller ? x : y;
    return won == kLoses ? kNan : ordered(static_cast<std::uint32_t>(won));
  }
};

/// Pairs (0,1), (2,3) ..., then pairs of those; who has no partner passes. Result in `to`.
template <class Join>
void tree(std::span<const std::uint32_t* const> from, std::uint32_t* to, std::size_t count, Join join) {
  static thread_local std::array<Block, kMostInputs / 2> between;
  std::array<const std::uint32_t*, kMostInputs> level{};
  std::copy(from.begin(), from.end(), level.begin());
  for (std::size_t width = from.size(); width > 1; width = (width + 1) / 2) {
    for (std::size_t i = 0; i < width / 2; ++i) {
      const std::uint32_t *a = level[2 * i], *b = level[2 * i + 1];
      std::uint32_t* out = width == 2 ? to : between[i].data();
      // Where `out` is one of the inputs (between[0] is) it is so element by element.
#pragma GCC ivdep
      for (std::size_t e = 0; e < count; ++e) out[e] = join(a[e], b[e]);
      level[i] = out;
    }
    if (width % 2 != 0) level[width / 2] = level[width - 1];
  }
  if (from.size() == 1) std::copy_n(level[0], count, to);
}

void one_nan(std::uint32_t* values, std::size_t count) {
  for (std::size_t e = 0; e < count; ++e) values[e] = is_nan(values[e]) ? kNan : values[e];
}

/// Sums as doubles: those of floats neither leave their range nor lose a bit that counts after the division.
/// Those of integers have at most 38 bits, so they are exact, and a quotient cannot be rounded up to a whole
/// number that it has not reached.
template <class T>
void average(std::span<const std::uint32_t* const> from, unsigned divisor, std::uint32_t* to,
             std::size_t count) {
  static thread_local std::array<double, kBlockElements> sums;
  std::fill_n(sums.begin(), count, -0.0);
  for (const std::uint32_t* in : from) {
    for (std::size_t e = 0; e < count; ++e) sums[e] += std::bit_cast<T>(in[e]);
  }
  for (std::size_t e = 0; e < count; ++e) {
    to[e] = std::bit_cast<std::uint32_t>(static_cast<T>(sums[e] / divisor));  // integers toward zero
  }
}

}  // namespace

void reduce_block(const Combine& combine, std::span<const std::uint32_t* const> from, std::uint32_t* to,
                  std::size_t count) {
  const bool real = combine.type == DataType::fp32;
  switch (combine.op) {
    case ReduceOp::min:
      return real ? tree(from, to, count, ExtremeFloat<true>{}) : tree(from, to, count, ExtremeInt<true>{});
    case ReduceOp::max:
      return real ? tree(from, to, count, ExtremeFloat<false>{}) : tree(from, to, count, ExtremeInt<false>{});
    case ReduceOp::average:
      if (!real) return average<std::int32_t>(from, combine.divisor, to, count);
      average<float>(from, combine.divisor, to, count);
      return one_nan(to, count);
    case ReduceOp::sum:
      if (!real) return tree(from, to, count, SumInt{});
      tree(from, to, count, SumFloat{});
      if (from.size() > 1) one_nan(to, count);  // of one rank nothing is summed
      return;
  }
}

}  // namespace polyloom::collective
