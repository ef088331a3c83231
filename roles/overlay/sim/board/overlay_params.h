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

struct OverlayParams final : fabric::RoleParams, keys::SystemValues {
  BoardParams board;
  MeshSize mesh;  ///< boards
  TileTiming timing;
  blocks::DramParams dram;
  blocks::SramParams sram;
  DetectorKind detector = DetectorKind::tree;
  bool published_link = false;  ///< reliable links as published; with DetectorKind::star only
};

}  // namespace polyloom::overlay
