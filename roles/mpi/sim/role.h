// SPDX-License-Identifier: Apache-2.0
// The kernel node as a role: its [kernel] table, its RTL node, and the switch between such nodes.
#pragma once

#include <cstdint>
#include <string>

#include "fabric/cluster/role.h"

namespace polyloom::mpi {

struct KernelParams : fabric::RoleParams {
  std::uint64_t clock_hz = 0;
  std::uint64_t dram_bytes = 0;  ///< behind the AXI port, from address 0x8000'0000 of the kernel on
  unsigned read_latency = 0, write_latency = 0;  ///< of it, cycles
  std::string image;                             ///< file list of the kernel, if the cluster file names one
};

/// Adds the role "mpi" (image.h says which kernel), the JSON form of clusters and the maker of switches.
void register_role(fabric::RoleRegistry& registry);

}  // namespace polyloom::mpi
