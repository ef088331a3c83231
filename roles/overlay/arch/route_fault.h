// SPDX-License-Identifier: Apache-2.0
// Why a board's router skips a routing record: the `cause` of the fault that the host is told, and its words.
#pragma once

#include <cstdint>
#include <string>

#include "roles/overlay/arch/board_params.h"

namespace polyloom::overlay {

/// Numbers are causes on the wire (arch/fault_codes.h), with the key as `pc` and the upper 32 bits of
/// the record as `value`; the RTL's route_fault_t has their low three bits.
enum class RouteFault : std::uint8_t {
  memory = 0x90,
  record = 0x91,
  receiver = 0x92,
  link = 0x93,
  turn = 0x94,
  chain = 0x95,
};

inline bool is_route_fault(std::uint8_t cause) {
  return cause >= static_cast<std::uint8_t>(RouteFault::memory) &&
         cause <= static_cast<std::uint8_t>(RouteFault::chain);
}

/// "routing key 0x1804021 names memory that ..."; empty for a cause that is no RouteFault.
std::string route_fault_text(RouteFault fault, std::uint32_t key, std::uint32_t head,
                             const BoardParams& params);

}  // namespace polyloom::overlay
