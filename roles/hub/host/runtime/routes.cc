// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/host/runtime/routes.h"

#include <bit>
#include <string>

#include "fabric/error.h"
#include "roles/hub/arch/window.h"

namespace polyloom::hub {
namespace {

constexpr unsigned kNodeShift = 35 - kRuleShift;  ///< of the node's number in the bits that rules see

/// Rules for the positions from `first` on, `count` of them, around a ring: at most two runs.
std::array<std::uint64_t, 2> run(unsigned first, unsigned count, unsigned size, std::uint64_t mask) {
  std::array<std::uint64_t, 2> rules{};
  if (count == 0) return rules;
  const unsigned end = first + count;  // one after the last
  const auto one = [&](unsigned from, unsigned to) {
    return rule(mask, std::uint64_t{from} << kNodeShift, std::uint64_t{to} << kNodeShift);
  };
  if (first >= size) {
    rules[0] = one(first - size, end - 1 - size);
  } else if (end <= size) {
    rules[0] = one(first, end - 1);
  } else {
    rules[0] = one(first, size - 1);
    rules[1] = one(0, end - 1 - size);
  }
  return rules;
}

}  // namespace

RouteTable ring_routes(unsigned number, unsigned size, unsigned rings) {
  if (rings == 2 && !std::has_single_bit(size)) {
    throw UserError("routing tables of two rings of " + std::to_string(size) +
                    " hubs: two rules a port serve rings of 2, 4 or 8");
  }
  const unsigned position = number % size, ring = number / size;
  const unsigned tie = size % 2 == 0 && position % 2 == 1;
  const unsigned east = size / 2 - tie, west = size - 1 - east;
  // In two rings the number's bits below the ring's are the position, in both.
  const std::uint64_t mask = std::uint64_t{rings == 2 ? size - 1 : kMaxNodes - 1} << kNodeShift;
  RouteTable table;
  table.rules[static_cast<unsigned>(Port::east)] = run(position + 1, east, size, mask);
  table.rules[static_cast<unsigned>(Port::west)] = run(position + 1 + east, west, size, mask);
  if (rings == 2) {
    const std::uint64_t other = std::uint64_t{(1 - ring) * size + position} << kNodeShift;
    table.rules[static_cast<unsigned>(Port::south)][0] =
        rule(std::uint64_t{kMaxNodes - 1} << kNodeShift, other, other);
  }
  return table;
}

}  // namespace polyloom::hub
