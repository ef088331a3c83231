// SPDX-License-Identifier: Apache-2.0
// For tests: a tree for the LET operator.
#pragma once

#include <random>
#include <vector>

#include "blocks/operators/sim/make_let.h"

namespace polyloom::hub::test {

/// A tree of `levels` below the root, each node with `fan` children, at random places; `bias` of the count
/// field.
inline std::vector<blocks::operators::NodeRecord> random_tree(unsigned levels, unsigned fan, unsigned seed,
                                                              unsigned bias) {
  using blocks::operators::make_more;
  using blocks::operators::NodeRecord;
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> at(-10, 10);
  std::vector<NodeRecord> tree;
  std::uint32_t first = 1, count = 1;
  for (unsigned level = 0; level <= levels; ++level, count *= fan) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto id = static_cast<std::uint32_t>(tree.size());
      const bool leaf = level == levels;
      const float q = leaf ? -1.0f : 40.0f / static_cast<float>(level + 1);
      tree.push_back(
          {q, at(random), at(random), at(random), 1, leaf ? make_more(0, id) : make_more(fan - bias, first)});
      if (!leaf) first += fan;
    }
  }
  return tree;
}

}  // namespace polyloom::hub::test
