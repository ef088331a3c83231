// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace polyloom::bench {

/// Ethernet address of a rank of the preset, first byte lowest (02:00:00:00:xx:xx).
inline std::uint64_t zrlmpi_address(int rank) {
  const auto r = static_cast<std::uint64_t>(rank);
  return 0x02 | (r >> 8 & 0xff) << 32 | (r & 0xff) << 40;
}

}  // namespace polyloom::bench
