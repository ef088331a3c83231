// SPDX-License-Identifier: Apache-2.0
// Fault events of nodes in words: which node waits for which, and for what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {

/// [rank]. Nodes that only heard of another's fault are left out as long as one names a cause of its own.
std::string fault_text(const std::vector<std::optional<blocks::EventFrame>>& events, const Topology& topology,
                       double clock_hz);

}  // namespace polyloom::collective
