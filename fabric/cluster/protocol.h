// SPDX-License-Identifier: Apache-2.0
// What nodes speak over links. The wire carries frames whatever they mean, so the `protocol` of a link is not
// a choice: it says in the file what its ends speak anyway.
#pragma once

#include <string>
#include <vector>

#include "fabric/cluster/role.h"
#include "fabric/cluster/spec.h"

namespace polyloom::fabric {

/// The words that a file may use.
const std::vector<std::string>& known_protocols();

/// Fills in the protocol of each link that names none. Throws UserError for a link whose ends do not speak
/// what the file says of it, and for one that speaks PCI Express and has faults.
void settle_protocols(ClusterSpec& spec, const RoleRegistry& roles);

}  // namespace polyloom::fabric
