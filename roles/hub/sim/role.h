// SPDX-License-Identifier: Apache-2.0
// The hub as a role: its [hub] table, how a node is made from it, and the host node with its endpoints.
#pragma once

#include "fabric/cluster/role.h"

namespace polyloom::hub {

/// Adds the role "hub" (fidelities sim and rtl): a ring, a double ring, or explicit links. Network port 0 is
/// E, 1 is W, 2 is S; the host's port is N. Hubs are numbered in the order of the cluster's nodes.
void register_role(fabric::RoleRegistry& registry);

}  // namespace polyloom::hub
