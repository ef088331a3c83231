// SPDX-License-Identifier: Apache-2.0
// What a hub is made of: the typed form of its [hub] table, with the host's side of port N.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/operators/sim/operator.h"
#include "fabric/cluster/role.h"
#include "roles/hub/registers.h"
#include "roles/hub/timing.h"

namespace polyloom::hub {

inline constexpr std::uint32_t kReadBytes = 512;  ///< of a read request, at most
inline constexpr unsigned kFlagBytes = 8;

struct HubParams : fabric::RoleParams {
  std::uint64_t clock_hz = 250'000'000;
  unsigned max_payload = 512;                  ///< bytes: 128, 256 or 512
  unsigned slots = 8;                          ///< of each link input, one packet each
  unsigned tags = 16;                          ///< reads at N under way
  std::vector<blocks::operators::Kind> kinds;  ///< that the function holds; empty: no function
  unsigned lanes = 7;                          ///< outputs of the function
  unsigned function_width = 256;               ///< bits between the hub and the function: 128 or 256
  unsigned function_cycles = 5;                ///< of each five clock cycles the function has so many
  blocks::operators::SlotParams operators;
  unsigned memory_bits = 29;  ///< the on-board memory has 2^memory_bits bytes
  unsigned memory_read = 24;  ///< cycles of the on-board memory: from a request to its first data
  unsigned memory_write = 8;  ///< from the last data to the answer
  Timing timing;              ///< what the model's structure gives; for tests

  // The host's side of N.
  fabric::Time store_latency = 0, write_latency = 0, read_latency = 0, poll_latency = 0;
};

}  // namespace polyloom::hub
