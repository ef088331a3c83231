// SPDX-License-Identifier: Apache-2.0
// From a cluster as read to a fabric that runs: links, models of FPGAs and switches, host nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fabric/cluster/role.h"
#include "fabric/fabric.h"
#include "fabric/host/server.h"

namespace polyloom::fabric {

struct AssembleOptions {
  std::uint64_t seed = 1;               ///< of fault draws and of nodes
  Trace* trace = nullptr;               ///< must outlive the fabric's runs
  std::vector<WaveRequest> waves = {};  ///< each of another node of fidelity rtl
  /// Divides nodes over processes once they are all added (mpi::Session::partition); empty = all are here.
  std::function<void(Fabric&)> partition = {};
};

/// Fills an empty fabric; node and link numbers are those of `spec`, which must outlive it. Makes only the
/// nodes that this process owns. `server` holds the connected clients; null in processes other than the
/// first. Throws UserError when a role, a fidelity or a client is missing.
void assemble(Fabric& fabric, const ClusterSpec& spec, const RoleRegistry& roles, HostServer* server,
              const AssembleOptions& options);

}  // namespace polyloom::fabric
