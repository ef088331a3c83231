// SPDX-License-Identifier: Apache-2.0
// The one reader of cluster files (docs/design.md, section 4.1; the format is described in
// fabric/cluster/README.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/cluster/role.h"
#include "fabric/cluster/spec.h"

namespace polyloom::fabric {

struct ReadOptions {
  std::optional<Fidelity> fidelity;  ///< of every FPGA, over the file's (POLYLOOM_ON, --on)
  int host_clients = 0;              ///< if > 0: over the file's host.clients
};

/// Reads, checks and expands a cluster. `name` is a path, or the name of a file in a search folder: "laptop"
/// finds clusters/laptop.toml; a name of a role's own form (ClusterForm) is made. Throws UserError, one
/// message with file, line, key, value and what is allowed.
ClusterSpec read_cluster(const std::string& name, const RoleRegistry& roles, const ReadOptions& options = {});

/// The same from text. `file` names it in messages; a name that ends in ".json" means JSON, the form of a
/// role.
ClusterSpec parse_cluster(std::string_view text, const std::string& file, const RoleRegistry& roles,
                          const ReadOptions& options = {});

/// Path of a cluster by path or name: the path as given, else clusters/ of home() (fabric/home.h). Throws
/// UserError that lists the known names.
std::string find_cluster(const std::string& name);

/// "sim" or "rtl", as simulated nodes may have; throws UserError that says where (`what`, e.g. "--on") the
/// word stood.
Fidelity parse_fidelity(const std::string& word, const std::string& what);

}  // namespace polyloom::fabric
