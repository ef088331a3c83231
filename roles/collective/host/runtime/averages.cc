// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/runtime/averages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "fabric/error.h"

namespace polyloom::collective {

void require_small_sums(const Request& request, const std::string& algorithm,
                        std::span<const std::span<const std::uint8_t>> send) {
  constexpr std::uint64_t kMost = INT32_MAX;
  std::vector<std::uint64_t> sums(request.total() / sizeof(std::int32_t));
  for (const auto& bytes : send) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      std::int32_t value;
      std::memcpy(&value, &bytes[i * sizeof value], sizeof value);
      sums[i] += static_cast<std::uint64_t>(std::abs(std::int64_t{value}));
    }
  }
  const auto large = std::find_if(sums.begin(), sums.end(), [](std::uint64_t sum) { return sum > kMost; });
  if (large == sums.end()) return;
  throw UserError(fmt::format(
      "{} ({}): integers are averaged in stages here, and sums between them might leave 32 bits: the ranks' "
      "values "
      "of element {} add up to {}, without their signs, and {} is safe; use smaller values or float32",
      name_of(request.operation), algorithm, large - sums.begin(), *large, kMost));
}

int binades_above(const Request& request, std::span<const std::span<const std::uint8_t>> send) {
  if (request.reduce != ReduceOp::average || request.type != DataType::fp32 || !request.reduces()) return 0;
  float most = 0;
  for (const auto& bytes : send) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      float value;
      std::memcpy(&value, &bytes[at], sizeof value);
      if (std::isfinite(value)) most = std::max(most, std::abs(value));
    }
  }
  const auto sum = static_cast<double>(most) * static_cast<double>(send.size());
  return std::max(0, std::ilogb(std::max(sum, 1.0)) - std::numeric_limits<float>::max_exponent + 2);
}

void scale_floats(std::span<std::uint8_t> bytes, int binades) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, &bytes[at], sizeof value);
    value = std::ldexp(value, binades);
    std::memcpy(&bytes[at], &value, sizeof value);
  }
}

}  // namespace polyloom::collective
