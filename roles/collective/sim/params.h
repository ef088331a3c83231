// SPDX-License-Identifier: Apache-2.0
// What a collective node is made of: the typed form of its [collective] table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/memory/sim/hbm2.h"
#include "fabric/cluster/role.h"
#include "roles/collective/program.h"
#include "roles/collective/timing.h"

namespace polyloom::collective {

struct CollectiveParams : fabric::RoleParams {
  std::uint64_t clock_hz = 200'000'000;
  unsigned channels = 8;
  blocks::Hbm2Params channel;           ///< of each
  bool stored = true;                   ///< false: timing only, no byte is kept or moved
  unsigned rx_beats = 128;              ///< receive buffer of a lane
  std::uint64_t eager_bytes = 4096;     ///< for the host library: blocks up to this are sent eagerly
  bool block_check = true;              ///< signature and CRC around each block
  unsigned command_cycles = 0;          ///< from a program's start to its first instruction, beyond one
  unsigned step_cycles = 0;             ///< between steps, beyond Timing::done_to_go
  unsigned program_size = 1024;         ///< instructions
  std::vector<OperatorKind> operators;  ///< that the slot holds; empty: no slot
  unsigned operator_ports = 0;          ///< inputs, and outputs, of one operator
  unsigned partitions = 1;              ///< partitions side by side: as many times the ports
  unsigned record_beats = 1024;         ///< beats of keys an input that a partition remembers
  std::string schedule = "best";        ///< for the host library: "paper" or "best"
  Timing timing;

  unsigned slot_ports() const { return operator_ports * partitions; }
  /// R# asks so many beats ahead that a stream never waits for the memory's latency.
  unsigned read_beats() const { return channel.read_latency + 32; }
};

}  // namespace polyloom::collective
