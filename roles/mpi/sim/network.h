// SPDX-License-Identifier: Apache-2.0
// The Ethernet switch of a star whose nodes have the addresses of address.h.
#pragma once

#include <memory>

#include "fabric/cluster/role.h"

namespace polyloom::mpi {

/// A blocks::EthernetSwitch with the queues and latency of the cluster's [switch]; each port leads to the
/// address of the node at its other end.
std::unique_ptr<fabric::Node> make_switch(const fabric::NodeContext& context);

}  // namespace polyloom::mpi
