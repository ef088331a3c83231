// SPDX-License-Identifier: Apache-2.0
// The typed form of a cluster file's [overlay] table.
#pragma once

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "fabric/cluster/spec.h"
#include "roles/overlay/sim/net/detector.h"
#include "roles/overlay/sim/tile/timing.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

struct OverlayParams final : fabric::RoleParams {
  BoardParams board;
  MeshSize mesh;  ///< boards
  TileTiming timing;
  blocks::DramParams dram;
  blocks::SramParams sram;
  unsigned noc_link_flits = keys::noc_link_flits.fallback;
  DetectorKind detector = DetectorKind::tree;
  Cycle gather_cycles = keys::gather_cycles.fallback;
  Cycle turn_cycles = keys::turn_cycles.fallback;
  Cycle end_cycles = keys::end_cycles.fallback;
  Cycle bridge_hop_cycles = keys::bridge_hop_cycles.fallback;
  bool published_link = false;  ///< reliable links as published; with DetectorKind::star only
  unsigned link_down_after = keys::link_down_after.fallback;
  bool profile = keys::profile.fallback;
};

}  // namespace polyloom::overlay
