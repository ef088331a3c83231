// SPDX-License-Identifier: Apache-2.0
// Locally essential trees: the records of a tree, the test whether a node is far enough from a target, and
// the plain function that prunes a tree for one. The LET operator (let.h, rtl/polyloom_op_let.sv) does the
// same to a stream; results are equal bit by bit. This header needs nothing else of the repository.
//
// Tree: n records in breadth-first order, record 0 the root (none: an empty domain), the children of a node
//   next to each other, ranges of children ascending and without gaps. q is the node's critical radius about
//   its centre of mass; negative: a body, or a node that was pruned: never opened. more: count field (upper 6
//   bits), id of the first child (lower 26). Count field: children - 1 (bias 1) or children (bias 0, at most
//   63). A record that is never opened has count field 0 and its own id there.
// Test: single precision, rounded to nearest even at each step: let_accepts(). A NaN anywhere: not accepted.
// Arithmetic: include this only where the compiler contracts nothing to fused operations (GCC, Clang:
//   -ffp-contract=off, which the CMake target polyloom_block_operators hands on) and without -ffast-math.
// Source: PEACH2 (LET generation), GOTHIC's format of the output; README.md.
// Tests: let_test.cc, let_rtl_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __FAST_MATH__
#error "make_let.h: compiled with -ffast-math; its results must be those of IEEE 754"
#endif

namespace polyloom::blocks::operators {

inline constexpr unsigned kChildBits = 26;
inline constexpr std::uint32_t kMaxNodes = std::uint32_t{1} << kChildBits;

/// A node or body as it lies in memory, 24 bytes, little-endian.
struct NodeRecord {
  float q, x, y, z, mass;
  std::uint32_t more;
};
static_assert(sizeof(NodeRecord) == 24);

/// What a LET is for: a box (min, max, radius 0) or a sphere (min = max = centre). kappa scales q.
struct LetTarget {
  std::array<float, 3> min, max;
  float kappa, radius;
};
static_assert(sizeof(LetTarget) == 32);

constexpr std::uint32_t make_more(std::uint32_t count_field, std::uint32_t first) {
  return count_field << kChildBits | first;
}
constexpr std::uint32_t count_field(std::uint32_t more) { return more >> kChildBits; }
constexpr std::uint32_t first_child(std::uint32_t more) { return more & (kMaxNodes - 1); }

/// Children that a record names; none if it is never opened.
inline std::uint32_t children(const NodeRecord& node, unsigned bias) {
  return node.q < 0 ? 0 : count_field(node.more) + bias;
}

/// x, moved to the nearest of [min, max] if outside. By comparison, so a NaN stays.
inline float clamp_to(float x, float min, float max) { return x < min ? min : max < x ? max : x; }

/// Whether the target is so far that the node need not be opened, by geometry alone.
inline bool let_far(const NodeRecord& node, const LetTarget& target) {
  constexpr float kGuard = 1.00000095367431640625f;  // 1 + 2^-20: the walk of the tree may round otherwise
  const float dx = node.x - clamp_to(node.x, target.min[0], target.max[0]);
  const float dy = node.y - clamp_to(node.y, target.min[1], target.max[1]);
  const float dz = node.z - clamp_to(node.z, target.min[2], target.max[2]);
  const float xx = dx * dx, yy = dy * dy, zz = dz * dz, xy = xx + yy;
  const float kq = target.kappa * node.q, t = kq + target.radius, tt = t * t;
  return tt * kGuard < xy + zz;
}
inline bool let_accepts(const NodeRecord& node, const LetTarget& target) {
  return node.q < 0 || let_far(node, target);
}

/// The LET of a tree for a target, itself a tree of the same bias. Throws std::invalid_argument with the
/// record's number if a range of children is not after all earlier ones, or not in the tree.
inline std::vector<NodeRecord> make_let(std::span<const NodeRecord> tree, const LetTarget& target,
                                        unsigned bias = 1) {
  struct Range {
    std::uint32_t first, count;
  };
  std::vector<NodeRecord> let;
  if (tree.empty()) return let;
  std::vector<Range> opened{{0, 1}};  // the root comes as if it were a child
  std::uint32_t end = 1, enqueued = 0;
  for (std::size_t r = 0; r < opened.size(); ++r) {
    const Range range = opened[r];
    for (std::uint32_t id = range.first; id < range.first + range.count; ++id) {
      NodeRecord node = tree[id];
      const std::uint32_t count = children(node, bias), first = first_child(node.more);
      if (count == 0 || let_far(node, target)) {
        node.q = -1.0f;
        node.more = make_more(0, static_cast<std::uint32_t>(let.size()));
      } else if (first < end || first + count > tree.size()) {
        throw std::invalid_argument("tree: children " + std::to_string(first) + " to " +
                                    std::to_string(first + count - 1) + " of record " + std::to_string(id) +
                                    " are not within " + std::to_string(end) + " to " +
                                    std::to_string(tree.size() - 1) + " (records in breadth-first order)");
      } else {
        opened.push_back({first, count});
        end = first + count;
        node.more = make_more(count_field(node.more), 1 + enqueued);
        enqueued += count;
      }
      let.push_back(node);
    }
  }
  return let;
}

}  // namespace polyloom::blocks::operators
