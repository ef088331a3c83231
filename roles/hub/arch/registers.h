// SPDX-License-Identifier: Apache-2.0
// What goes with the hub's registers (register_map.h; docs/reference/registers.md): straps, rules,
// descriptors. Shared by host library and fast model; the RTL's types are in rtl/polyloom_hub_pkg.sv.
#pragma once

#include <cstdint>

#include "roles/hub/arch/register_map.h"

namespace polyloom::hub {

/// strap_i: reset values of `node` and `links`.
///   [3:0] node; [7:4] links present: N, E, S, W from bit 4.
/// After reset all rules are invalid but two of the own node: L rule 0 = the hub unit, N rule 0 = units 0
/// to 2.
inline constexpr unsigned kStrapLinks = 4;

/// A rule, one word: lower[14:0] upper[30:16] mask[46:32] valid[63], on address bits 38:24.
constexpr std::uint64_t rule(std::uint64_t mask, std::uint64_t lower, std::uint64_t upper) {
  return lower | upper << 16 | mask << 32 | std::uint64_t{1} << 63;
}

inline constexpr std::uint64_t kFlagOverflow = std::uint64_t{1} << 63;  ///< flag word = bytes produced | this

/// Function input (offset 1 << 28 of the hub unit): payload bytes are appended to the stream; this address
/// bit says that the TLP's last byte ends it.
inline constexpr std::uint64_t kFunctionLast = std::uint64_t{1} << 27;

/// Words of a descriptor.
struct Descriptor {
  std::uint64_t source, destination;
  std::uint32_t block_bytes, blocks;
  std::int64_t source_stride, destination_stride;
  std::uint32_t control;  ///< kLast ...
  std::uint32_t id;       ///< value that the flag gets
  std::uint64_t next, flag;
};
static_assert(sizeof(Descriptor) == kDescriptorBytes);
}  // namespace polyloom::hub
