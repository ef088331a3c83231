// SPDX-License-Identifier: Apache-2.0
#include "nbody/tree/key_sort.h"

#include <algorithm>
#include <array>
#include <utility>

namespace polyloom::nbody {
namespace {

constexpr unsigned kDigitBits = 9, kDigits = 7;  // 63 bits
constexpr unsigned kValues = 1u << kDigitBits;

unsigned digit(std::uint64_t key, unsigned d) { return key >> (d * kDigitBits) & (kValues - 1); }

}  // namespace

void sort_by_key(std::vector<KeyPlace>& keys, std::vector<KeyPlace>& scratch,
                 std::span<const std::uint64_t> id) {
  scratch.resize(keys.size());
  std::array<std::array<std::uint32_t, kValues>, kDigits> counts{};
  for (const KeyPlace& k : keys) {
    for (unsigned d = 0; d < kDigits; ++d) ++counts[d][digit(k.key, d)];
  }
  for (unsigned d = 0; d < kDigits; ++d) {
    auto& count = counts[d];
    if (!keys.empty() && count[digit(keys[0].key, d)] == keys.size()) continue;  // all the same
    std::uint32_t sum = 0;
    for (std::uint32_t& c : count) sum += std::exchange(c, sum);
    for (const KeyPlace& k : keys) scratch[count[digit(k.key, d)]++] = k;
    keys.swap(scratch);
  }
  for (std::size_t first = 0; first < keys.size();) {
    std::size_t last = first + 1;
    while (last < keys.size() && keys[last].key == keys[first].key) ++last;
    if (last - first > 1) {
      std::sort(keys.begin() + static_cast<std::ptrdiff_t>(first),
                keys.begin() + static_cast<std::ptrdiff_t>(last),
                [&](const KeyPlace& a, const KeyPlace& b) { return id[a.place] < id[b.place]; });
    }
    first = last;
  }
}

}  // namespace polyloom::nbody
