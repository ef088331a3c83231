// SPDX-License-Identifier: Apache-2.0
// Locally essential trees: what a receiver needs of a tree, as a tree of the same form.
#pragma once

#include <span>
#include <vector>

#include "nbody/tree/record.h"

namespace polyloom::nbody {

/// A LET in memory of its own, which grows to the largest tree seen and is used again.
struct Let {
  std::vector<NodeRecord> nodes;     ///< the first `count` are the LET
  std::vector<SecondMoment> second;  ///< beside nodes, or empty
  std::size_t count = 0;

  TreeView view() const {
    return {std::span(nodes).first(count), std::span(second).first(second.empty() ? 0 : count)};
  }
};

/// Writes the LET of `tree` for `target` and returns the number of its nodes. `out` has room for as many
/// nodes as the tree has, and is not the tree's memory. `second` likewise if the tree has second moments,
/// else it may be empty. The nodes are those of the LET operator, bit by bit. One pass in the order of the
/// nodes: opened nodes' child ranges ascend, so what is in is a list of ranges, and pruned subtrees are never
/// looked at.
std::size_t make_let(const TreeView& tree, const Target& target, std::span<NodeRecord> out,
                     std::span<SecondMoment> second = {});

void make_let(const TreeView& tree, const Target& target, Let& out);

}  // namespace polyloom::nbody
