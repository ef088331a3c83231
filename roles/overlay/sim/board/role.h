// SPDX-License-Identifier: Apache-2.0
// The overlay as a role: its [overlay] table and how a node is made from it.
#pragma once

#include "fabric/cluster/role.h"

namespace polyloom::overlay {

/// Adds the role "overlay". Needs a mesh of at most 8 x 8 boards.
void register_role(fabric::RoleRegistry& registry);

}  // namespace polyloom::overlay
