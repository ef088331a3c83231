// SPDX-License-Identifier: Apache-2.0
// The typed form of a cluster file's [overlay] table.
#pragma once

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "blocks/reliable_link/sim/link_watch.h"
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
  unsigned noc_link_flits = NetShared::kLinkFlits;  ///< buffer at each input of a tile router
  DetectorKind detector = DetectorKind::tree;
  Cycle gather_cycles = 0;        ///< pipeline from the threads to the detector, and back
  Cycle turn_cycles = 3;          ///< a board's answer to a control word
  Cycle end_cycles = 1;           ///< tree only: an end of a link in a report, read or sent
  Cycle bridge_hop_cycles = 195;  ///< star only: board (0,0) to its master
  bool published_link = false;    ///< reliable links as published; with DetectorKind::star only
  unsigned link_down_after =
      blocks::kLinkDownAfter;  ///< retransmissions of the same items after which a link is down
  bool profile = false;        ///< count executed instructions by address
};

}  // namespace polyloom::overlay
