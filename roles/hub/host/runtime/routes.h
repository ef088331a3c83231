// SPDX-License-Identifier: Apache-2.0
// The shipped routing tables: along the own ring by the shorter way, then across.
#pragma once

#include <array>

#include "roles/hub/arch/registers.h"

namespace polyloom::hub {

/// Words of the rule registers of E, S and W; N and L keep those of reset.
struct RouteTable {
  std::array<std::array<std::uint64_t, 2>, kPorts> rules{};
};

/// Of node `number` in `rings` rings (1 or 2) of `size` hubs. Opposite nodes of an even ring: even hubs go by
/// E, odd ones by W, so both ways carry the same. Two rings need a size that is a power of two, as one rule
/// then serves both. Throws UserError.
RouteTable ring_routes(unsigned number, unsigned size, unsigned rings);

}  // namespace polyloom::hub
