// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "roles/collective/host/schedule/machine.h"
#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {
namespace {

constexpr std::uint32_t kNan = 0x7fc00000;

float real(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float value) { return std::isnan(value) ? kNan : std::bit_cast<std::uint32_t>(value); }

std::uint32_t extreme(std::uint32_t a, std::uint32_t b, bool smaller) {
  if (std::isnan(real(a)) || std::isnan(real(b))) {
    if (std::isnan(real(a)) && std::isnan(real(b))) return kNan;
    return std::isnan(real(a)) ? b : a;
  }
  if (real(a) == real(b)) return std::signbit(real(a)) == smaller ? a : b;  // -0 < +0
  return (real(a) < real(b)) == smaller ? a : b;
}

std::uint32_t join_fp32(ReduceOp op, std::uint32_t a, std::uint32_t b) {
  if (op == ReduceOp::min || op == ReduceOp::max) return extreme(a, b, op == ReduceOp::min);
  return bits_of(real(a) + real(b));
}

std::int64_t join_int(ReduceOp op, std::int64_t a, std::int64_t b) {
  if (op == ReduceOp::min) return std::min(a, b);
  if (op == ReduceOp::max) return std::max(a, b);
  return a + b;
}

/// Pairs (0,1), (2,3) ..., then pairs of those, until one is left.
template <class T, class F>
T tree(std::vector<std::optional<T>> level, F join) {
  while (level.size() > 1) {
    std::vector<std::optional<T>> next((level.size() + 1) / 2);
    for (std::size_t i = 0; i < next.size(); ++i) {
      const auto& a = level[2 * i];
      const std::optional<T> b = 2 * i + 1 < level.size() ? level[2 * i + 1] : std::nullopt;
      next[i] = a && b ? std::optional<T>(join(*a, *b)) : a ? a : b;
    }
    level = std::move(next);
  }
  return level.at(0).value();
}

}  // namespace

std::uint32_t combine_words(std::span<const std::optional<std::uint32_t>> inputs, std::uint64_t word) {
  const auto op = static_cast<ReduceOp>(word & 0xff);
  const auto type = static_cast<DataType>(word >> 8 & 0xff);
  const auto factor = static_cast<std::uint32_t>(word >> 32);
  if (type == DataType::fp32) {
    const std::uint32_t joined =
        tree<std::uint32_t>({inputs.begin(), inputs.end()},
                            [&](std::uint32_t a, std::uint32_t b) { return join_fp32(op, a, b); });
    return op == ReduceOp::average ? bits_of(real(joined) * real(factor)) : joined;
  }
  std::vector<std::optional<std::int64_t>> wide;
  for (const auto& i : inputs) {
    wide.push_back(i ? std::optional<std::int64_t>(static_cast<std::int32_t>(*i)) : std::nullopt);
  }
  const std::int64_t joined =
      tree<std::int64_t>(std::move(wide), [&](std::int64_t a, std::int64_t b) { return join_int(op, a, b); });
  return static_cast<std::uint32_t>(op == ReduceOp::average ? joined / static_cast<std::int64_t>(factor)
                                                            : joined);
}

}  // namespace polyloom::collective
