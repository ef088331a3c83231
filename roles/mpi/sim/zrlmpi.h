// SPDX-License-Identifier: Apache-2.0
// The cluster description of ZRLMPI (docs/sources/mpi.md, 3): which MPI ranks are CPUs and which are FPGAs.
// Everything else takes the values of its testbed: FPGAs and CPUs on one 10 Gb/s Ethernet switch, UDP,
// kernels at 156.25 MHz. One more host, "manager", starts the job and hears its output.
#pragma once

#include <optional>
#include <string>

#include "fabric/cluster/role.h"

namespace polyloom::mpi {

/// Reads the nodes, links and hosts of a description into `spec`.
void read_zrlmpi(const fabric::Value& document, const std::string& file, fabric::ClusterSpec& spec);
/// The description that a name "zrlmpi:N" stands for: rank 0 a CPU, ranks 1 to N-1 FPGAs. Nothing for all
/// other names; throws UserError for a wrong N.
std::optional<std::string> zrlmpi_of_name(const std::string& name);

}  // namespace polyloom::mpi
