// SPDX-License-Identifier: Apache-2.0
#include "nbody/tree/let.h"

#include "nbody/tree/accept.h"

namespace polyloom::nbody {
namespace {

/// Emits node by node. The ranges of opened nodes are found again in the output itself: an emitted node with
/// q >= 0 still has its old first child in `more` until its children's turn comes, so no queue is needed.
template <bool kSecond>
std::size_t generate(const NodeRecord* tree, const SecondMoment* moments, const Target& target,
                     NodeRecord* out, SecondMoment* second) {
  std::size_t emitted = 0;  // also the id of the next node
  std::size_t known = 1;    // nodes that are in so far, those not yet emitted included
  const auto emit = [&](std::uint32_t id) {
    NodeRecord n = tree[id];
    if (n.q >= 0.0f && !accepted(n, target)) {
      known += child_count(n.more);
    } else {
      n.q = -1.0f;
      n.more = static_cast<std::uint32_t>(emitted);
    }
    if constexpr (kSecond) second[emitted] = moments[id];
    out[emitted++] = n;
  };
  emit(0);
  for (std::size_t parent = 0; emitted < known; ++parent) {
    NodeRecord& p = out[parent];
    if (p.q < 0.0f) continue;
    const std::uint32_t first = first_child(p.more);
    const unsigned children = child_count(p.more);
    p.more = pack_more(static_cast<std::uint32_t>(emitted), children);
    for (unsigned c = 0; c < children; ++c) emit(first + c);
  }
  return emitted;
}

}  // namespace

std::size_t make_let(const TreeView& tree, const Target& target, std::span<NodeRecord> out,
                     std::span<SecondMoment> second) {
  if (tree.nodes.empty()) return 0;
  return tree.second.empty()
             ? generate<false>(tree.nodes.data(), nullptr, target, out.data(), nullptr)
             : generate<true>(tree.nodes.data(), tree.second.data(), target, out.data(), second.data());
}

void make_let(const TreeView& tree, const Target& target, Let& out) {
  if (out.nodes.size() < tree.nodes.size()) out.nodes.resize(tree.nodes.size());
  if (tree.second.empty()) {
    out.second.clear();
  } else if (out.second.size() < tree.second.size()) {
    out.second.resize(tree.second.size());
  }
  out.count = make_let(tree, target, out.nodes, out.second);
}

}  // namespace polyloom::nbody
