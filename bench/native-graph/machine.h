// SPDX-License-Identifier: Apache-2.0
// What this machine can do, measured on all threads: bounds of what a kernel can reach.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/native-graph/workload.h"

namespace polyloom::bench {

/// "read_bytes": a second, of a long array in a row. "gathers": a second, of 4 bytes each from an array with one entry
/// for each vertex, by random numbers that stream past. "own_gathers": the same by the senders of the graph's edges,
/// with those in front that have most.
nlohmann::json machine_rates(const Workload& workload);

}  // namespace polyloom::bench
