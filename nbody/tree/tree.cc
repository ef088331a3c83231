// SPDX-License-Identifier: Apache-2.0
// Cells from keys. A node's cell is the longest common prefix of its bodies' keys, so it is known from the
// first and the last of them.
#include "nbody/tree/tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "fabric/error.h"

namespace polyloom::nbody {
namespace {

constexpr unsigned kLevels = Frame::kBits;

/// Levels of the octree that two keys share: 0 .. 21.
unsigned shared_levels(std::uint64_t a, std::uint64_t b) {
  return a == b ? kLevels : (static_cast<unsigned>(std::countl_zero(a ^ b)) - 1) / 3;
}

}  // namespace

void check_mac(const Mac& mac) {
  if (mac.criterion == Criterion::kAcceleration) {
    if (!(mac.delta > 0) || !std::isfinite(mac.delta)) {
      throw UserError("delta " + std::to_string(mac.delta) + ": must be above 0, e.g. 2^-9 = 0.00195");
    }
  } else if (!(mac.theta > 0 && mac.theta <= 2)) {
    throw UserError("theta " + std::to_string(mac.theta) + ": must be above 0 and at most 2");
  }
}

void Tree::make(std::span<const std::uint64_t> keys, unsigned leaf) {
  if (leaf < 1 || leaf > 8) throw UserError("leaf limit " + std::to_string(leaf) + ": must be 1 to 8");
  first_.clear();
  count_.clear();
  more_.clear();
  cells_.clear();
  side_.clear();
  if (keys.empty()) return;
  if (keys.size() >= kMaxNodes) throw UserError("more than 2^26 nodes: use more domains");
  const auto count = static_cast<std::uint32_t>(keys.size());
  if (count == 1) {
    add_body(0);
  } else {
    add_cell(0, count);
  }
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) open(cells_[cell], keys, leaf);
  if (first_.size() >= kMaxNodes) throw UserError("more than 2^26 nodes: use more domains");
}

void Tree::add_body(std::uint32_t body) {
  more_.push_back(static_cast<std::uint32_t>(first_.size()));
  first_.push_back(body);
  count_.push_back(1);
}

void Tree::add_cell(std::uint32_t first, std::uint32_t count) {
  cells_.push_back(static_cast<std::uint32_t>(first_.size()));
  more_.push_back(0);
  first_.push_back(first);
  count_.push_back(count);
}

void Tree::open(std::uint32_t id, std::span<const std::uint64_t> keys, unsigned leaf) {
  const std::uint32_t first = first_[id], count = count_[id], end = first + count;
  const unsigned level = shared_levels(keys[first], keys[end - 1]);
  side_.push_back(std::ldexp(2.0f, -static_cast<int>(level)));
  const auto child = static_cast<std::uint32_t>(first_.size());
  if (level == kLevels) {  // the depth cap: parts of equal size, as many as a node may have
    const std::uint32_t parts = std::min<std::uint32_t>(count, kMaxChildren);
    for (std::uint32_t p = 0; p < parts; ++p) {
      const auto at = [&](std::uint64_t part) {
        return first + static_cast<std::uint32_t>(part * count / parts);
      };
      if (const std::uint32_t size = at(p + 1) - at(p); size == 1) {
        add_body(at(p));
      } else {
        add_cell(at(p), size);
      }
    }
  } else {
    const unsigned shift = 3 * (kLevels - 1 - level);
    for (std::uint32_t at = first; at < end;) {
      const std::uint64_t octant = keys[at] >> shift;
      const auto next =
          std::upper_bound(keys.begin() + at, keys.begin() + end, octant,
                           [&](std::uint64_t o, std::uint64_t key) { return o < key >> shift; });
      const auto size = static_cast<std::uint32_t>(next - keys.begin()) - at;
      if (size > leaf) {
        add_cell(at, size);
      } else {
        for (std::uint32_t b = 0; b < size; ++b) add_body(at + b);
      }
      at += size;
    }
  }
  more_[id] = pack_more(child, static_cast<unsigned>(first_.size() - child));
}

}  // namespace polyloom::nbody
