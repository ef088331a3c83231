// SPDX-License-Identifier: Apache-2.0
// An overlay board of fidelity rtl: polyloom_overlay_node behind blocks/verilated, with the memories that
// Board has.
#pragma once

#include <memory>

#include "blocks/verilated/verilated_node.h"
#include "roles/overlay/sim/board/board.h"

namespace polyloom::overlay {

/// The shape of the RTL; `waves`: that can write them. Throws UserError if the RTL has no such form, naming
/// the key of [overlay].
blocks::RtlShape rtl_shape(const OverlayParams& params, bool waves = false);

/// Builds the RTL if need be. Memory channels: DRAM, SRAM A, SRAM B of slice 0, then of slice 1; addresses
/// are those of a thread (DRAM), or count from the SRAM's start.
std::unique_ptr<blocks::VerilatedNode> make_rtl_board(const OverlayParams& params, const BoardSite& site,
                                                      const fabric::WaveRequest* wave);

}  // namespace polyloom::overlay
