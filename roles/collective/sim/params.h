// SPDX-License-Identifier: Apache-2.0
// What a collective node is made of: the typed form of its [collective] table (spec/keys/collective.py).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/memory/sim/hbm2.h"
#include "fabric/cluster/role.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/arch/timing.h"
#include "spec/collective_keys.h"

namespace polyloom::collective {

struct CollectiveParams : fabric::RoleParams, keys::Values {
  std::uint64_t clock_hz = 200'000'000;
  blocks::Hbm2Params channel;  ///< of each
  bool stored = true;          ///< false: timing only, no byte is kept or moved
  std::uint64_t eager_bytes = std::uint64_t{rx_beats} * kBeatBytes;  ///< for the host library
  std::vector<OperatorKind> operators;                               ///< that the slot holds; empty: no slot
  unsigned operator_ports = 0;                                       ///< inputs, and outputs, of one operator
  std::string schedule = keys::schedule.fallback;                    ///< for the host library
  Timing timing;

  unsigned slot_ports() const { return operator_ports * partitions; }
  /// R# asks so many beats ahead that a stream never waits for the memory's latency.
  unsigned read_beats() const { return channel.read_latency + 32; }
};

}  // namespace polyloom::collective
