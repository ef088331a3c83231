// SPDX-License-Identifier: Apache-2.0
// Steps of reading a cluster that all forms of a description share. For the reader and for roles that bring a
// form.
#pragma once

#include <optional>
#include <string>

#include "fabric/cluster/reader.h"
#include "fabric/cluster/table.h"

namespace polyloom::fabric {

/// The keys latency, rate, protocol, bit_error_rate, drop_rate of a table, `base` being their defaults.
/// Without a base, latency and rate are required.
LinkQuality read_quality(Table& table, const LinkQuality* base);

/// Appends host nodes and links them: to the FPGAs of `attached` (a port more on each), or to the switch.
struct HostAttachment {
  int hosts = 1;
  bool to_switch = false;
  std::vector<int> attached;  ///< FPGAs, in order of the host's ports
  LinkQuality quality;
};
void attach_hosts(ClusterSpec& spec, const HostAttachment& attachment);

/// Fills in params and role_table of every FPGA: `tables[i]` is node i's role table as written. Calls each
/// validator once for FPGAs that share role, table, clock and fidelity, then compares what linked FPGAs must
/// agree on. `where` is the file's top level, for messages.
void validate_roles(ClusterSpec& spec, const std::vector<Value>& tables, Table& where,
                    const RoleRegistry& roles);

}  // namespace polyloom::fabric
