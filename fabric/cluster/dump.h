// SPDX-License-Identifier: Apache-2.0
// A cluster shown to people and to machines, with every default written out.
#pragma once

#include <string>

#include "fabric/cluster/spec.h"

namespace polyloom::fabric {

/// JSON object. Quantities are integers in base units, under keys with a suffix such as latency_ps, rate_bps.
///   {"name", "file", "version", "description",
///    "topology": {"kind", "size"}, "host": {...}, "switch": {...}, "memories": [...],
///    "roles": {ROLE: [table, ...]},
///    "nodes": [{"name", "kind", "role", "fidelity", "position", "clocks_hz", "ports", "host_port",
///               "table": index into roles[ROLE]}],
///    "links": [{"name", "a": {"node", "port"}, "b", "protocol", "latency_ps", "rate_bps", "word_period_ps",
///               "bit_error_rate", "drop_rate", "to_host"}]}
std::string to_json(const ClusterSpec& spec, int indent = 2);

/// A page of text: facts, nodes by role, link sorts with their latencies, role tables in force.
std::string to_text(const ClusterSpec& spec);

/// One line on link latencies for records and results: "780 ns x 17, host 1 us x 12".
std::string latency_line(const ClusterSpec& spec);
/// Of the FPGAs: "sim", "rtl", or "mixed, 1 of 6 rtl".
std::string fidelity_line(const ClusterSpec& spec);

}  // namespace polyloom::fabric
