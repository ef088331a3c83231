// SPDX-License-Identifier: Apache-2.0
// What a tree is outside of the code that made it: an array of node records, and what a LET is made for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace polyloom::nbody {

/// One node of a tree. Nodes lie in breadth-first order, node 0 is the root, children are contiguous. The
/// layout is that of the LET operator (blocks/operators, packed form, bias 1), so memory holds trees as they
/// travel.
struct NodeRecord {
  float q;        ///< critical radius about (x, y, z); negative: never opened (a body, or a pruned node)
  float x, y, z;  ///< centre of mass
  float mass;
  std::uint32_t
      more;  ///< upper 6 bits: children - 1, lower 26: the first child; a node without: 0 and itself
};
static_assert(sizeof(NodeRecord) == 24);

inline constexpr unsigned kIdBits = 26;
inline constexpr std::uint32_t kIdMask = (1u << kIdBits) - 1;
inline constexpr std::size_t kMaxNodes = std::size_t{1} << kIdBits;
inline constexpr unsigned kMaxChildren = 64;

inline std::uint32_t pack_more(std::uint32_t first, unsigned children) {
  return (children - 1) << kIdBits | first;
}
inline std::uint32_t first_child(std::uint32_t more) { return more & kIdMask; }
/// Of a node with q >= 0.
inline unsigned child_count(std::uint32_t more) { return (more >> kIdBits) + 1; }

/// Second moments of a node's mass about its centre of mass: sum of m d d^T. A body's are zero.
struct SecondMoment {
  float xx, xy, xz, yy, yz, zz;
};

/// A tree that lies somewhere. `second` has an element a node, or none if the tree is monopole only.
struct TreeView {
  std::span<const NodeRecord> nodes;
  std::span<const SecondMoment> second;
};

/// What a LET is made for: an axis-parallel box (radius 0), or a sphere (min = max = its centre). 32 bytes,
/// the target beat of the LET operator.
struct Target {
  float min[3], max[3];
  float kappa;  ///< factor of q: 1, or (1 / (delta a_min))^(1/4) in the units of the frame
  float radius;
};
static_assert(sizeof(Target) == 32);

/// 1 + 2^-20: a node is accepted only if it is so by a margin above the rounding of the test.
inline constexpr float kGuard = 1.00000095367431640625f;

}  // namespace polyloom::nbody
