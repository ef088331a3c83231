// SPDX-License-Identifier: Apache-2.0
// Numbers of cores: as programs know them (fields of a thread id) and dense, as the host link has them. Words
// for what a board says of a thread.
#include <config.h>
#include <tinsel-interface.h>

#include <string>

#include "fabric/error.h"
#include "roles/overlay/arch/fault_codes.h"
#include "roles/overlay/host/bad_pin.h"
#include "roles/overlay/host/core.h"

namespace polyloom::overlay {
namespace {

constexpr unsigned kCoreBits = TinselLogCoresPerMailbox;
constexpr unsigned kTileXBits = TinselMailboxMeshXBits;

}  // namespace

unsigned dense_core(const ClusterFacts& facts, unsigned core) {
  const unsigned in_tile = core & ((1u << kCoreBits) - 1);
  const unsigned tile_x = (core >> kCoreBits) & ((1u << kTileXBits) - 1);
  const unsigned tile_y = core >> (kCoreBits + kTileXBits);
  if (in_tile >= facts.cores_per_tile || tile_x >= facts.tiles_x || tile_y >= facts.tiles_y) {
    throw UserError("there is no core " + std::to_string(core) + " (tile " + std::to_string(tile_x) + "," +
                    std::to_string(tile_y) + ", core " + std::to_string(in_tile) +
                    ") on a board of cluster '" + facts.name + "': it has " + std::to_string(facts.tiles_x) +
                    " x " + std::to_string(facts.tiles_y) + " tiles of " +
                    std::to_string(facts.cores_per_tile) + " cores");
  }
  return (tile_y * facts.tiles_x + tile_x) * facts.cores_per_tile + in_tile;
}

unsigned core_of_dense(const ClusterFacts& facts, unsigned dense) {
  const unsigned tile = dense / facts.cores_per_tile, in_tile = dense % facts.cores_per_tile;
  const unsigned tile_x = tile % facts.tiles_x, tile_y = tile / facts.tiles_x;
  return ((tile_y << kTileXBits | tile_x) << kCoreBits) | in_tile;
}

std::string fault_text(const ClusterFacts& facts, const blocks::FaultFrame& fault) {
  if (fault.cause == wire_cause(FaultCause::bad_store) && fault.value >> 16 == polyloomBadPin() >> 16)
    return bad_pin_text(fault.value & 0xff, fault.value >> 8 & 0xff);
  if (fault.cause == wire_cause(FaultCause::bad_store) &&
      fault.value >> 16 == polyloomMissingMessages() >> 16) {
    return "in superstep " + std::to_string(fault.value & 0xffff) +
           " some vertex did not send on Pin(0) exactly once as others did, and its class says "
           "sendsEveryStep = "
           "true: take that out, or run with --combine off";
  }
  BoardParams params;
  params.tiles_x = facts.tiles_x;
  params.tiles_y = facts.tiles_y;
  params.cores_per_tile = facts.cores_per_tile;
  params.threads_per_core = facts.threads_per_core;
  params.max_flits = facts.max_flits;
  params.dram_channels = facts.slices;
  if (is_route_fault(fault.cause))
    return route_fault_text(static_cast<RouteFault>(fault.cause), fault.pc, fault.value, params);
  return wire_cause_text(fault.cause, fault.value, {facts.boards_x, facts.boards_y}, params);
}

unsigned slice_of_core(const ClusterFacts& facts, unsigned core) {
  const unsigned tile = dense_core(facts, core) / facts.cores_per_tile;
  return tile * facts.slices / (facts.tiles_x * facts.tiles_y);
}

}  // namespace polyloom::overlay
