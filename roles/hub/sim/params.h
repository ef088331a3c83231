// SPDX-License-Identifier: Apache-2.0
// What a hub is made of: the typed form of its [hub] table (spec/keys/hub.py), with the host's side of port
// N.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/operators/sim/operator.h"
#include "fabric/cluster/role.h"
#include "roles/hub/arch/registers.h"
#include "roles/hub/arch/timing.h"
#include "spec/hub_keys.h"

namespace polyloom::hub {

inline constexpr std::uint32_t kReadBytes = 512;  ///< of a read request, at most
inline constexpr unsigned kFlagBytes = 8;

struct HubParams : fabric::RoleParams, keys::Values {
  std::uint64_t clock_hz = 250'000'000;
  std::vector<blocks::operators::Kind> kinds;  ///< that the function holds; empty: no function
  unsigned function_cycles = 5;                ///< of each five clock cycles the function has so many
  blocks::operators::SlotParams operators;
  Timing timing;  ///< what the model's structure gives; for tests

  // The host's side of N.
  fabric::Time store_latency = 0, write_latency = 0, read_latency = 0, poll_latency = 0;
};

}  // namespace polyloom::hub
