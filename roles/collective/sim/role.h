// SPDX-License-Identifier: Apache-2.0
// The collective node as a role: its [collective] table and how a node is made from it.
#pragma once

#include "fabric/cluster/role.h"

namespace polyloom::collective {

/// Adds the role "collective" (fidelities sim and rtl). Any topology: a node's lanes are its network ports.
void register_role(fabric::RoleRegistry& registry);

}  // namespace polyloom::collective
