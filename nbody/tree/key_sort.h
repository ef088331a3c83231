// SPDX-License-Identifier: Apache-2.0
// Sorting bodies along the curve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace polyloom::nbody {

struct KeyPlace {
  std::uint64_t key;
  std::uint32_t place;
};

/// Sorts by key, equal keys by their id[place], so the result depends on the set only, not on the order
/// before. `scratch` is working memory.
void sort_by_key(std::vector<KeyPlace>& keys, std::vector<KeyPlace>& scratch,
                 std::span<const std::uint64_t> id);

}  // namespace polyloom::nbody
