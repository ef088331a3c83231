// SPDX-License-Identifier: Apache-2.0
// A collective node of fidelity rtl: polyloom_collective_node in Verilator, HBM2 channels behind its AXI
// ports.
#pragma once

#include <memory>

#include "blocks/verilated/verilated_node.h"
#include "roles/collective/sim/node.h"

namespace polyloom::collective {

/// The parameters of the RTL's top for a node of so many lanes. Throws UserError for what the RTL has not:
/// more than 15 lanes, 16 channels or 16 operator inputs, channels that are no power of two from 4 KiB on, no
/// contents.
blocks::RtlShape rtl_shape(const CollectiveParams& params, const std::string& name, std::size_t lanes);

/// The same ports and frames as CollectiveNode; site.trace is not used. Builds the RTL on demand.
std::unique_ptr<blocks::VerilatedNode> make_rtl_node(const CollectiveParams& params, const NodeSite& site,
                                                     const fabric::WaveRequest* wave = nullptr);

}  // namespace polyloom::collective
