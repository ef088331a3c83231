// SPDX-License-Identifier: Apache-2.0
// A hub of fidelity rtl: polyloom_hub_node in Verilator, a memory of fixed latencies as its on-board memory.
#pragma once

#include <memory>

#include "blocks/verilated/verilated_node.h"
#include "roles/hub/sim/node.h"

namespace polyloom::hub {

/// The parameters of the RTL's top.
blocks::RtlShape rtl_shape(const HubParams& params);

/// The same ports and packets as HubNode. Builds the RTL on demand.
std::unique_ptr<blocks::VerilatedNode> make_rtl_node(const HubParams& params, const HubSite& site,
                                                     const fabric::WaveRequest* wave = nullptr);

}  // namespace polyloom::hub
