// SPDX-License-Identifier: Apache-2.0
// What the RTL of a reliable link gets on its constant inputs, from clock and wire.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blocks/reliable_link/sim/reliable_link.h"

namespace polyloom::blocks {

struct LinkStraps {
  std::uint16_t timeout = 0;  ///< timeout_i
  std::uint16_t word_time =
      0;  ///< word_time_i: cycles that a word takes on the wire, 4.12 bits, rounded down
};

inline LinkStraps link_straps(fabric::Clock clock, const ReliableLinkParams& params,
                              fabric::Time word_period) {
  const auto cycles =
      static_cast<unsigned __int128>(word_period) * clock.hz() * 4096 / fabric::kPicosPerSecond;
  return {static_cast<std::uint16_t>(std::min(params.timeout, 0xffffu)),
          static_cast<std::uint16_t>(std::min<unsigned __int128>(cycles, 0xffff))};
}

}  // namespace polyloom::blocks
