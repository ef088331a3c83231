// SPDX-License-Identifier: Apache-2.0
// How a graph lies on a cluster, for machines: --json, and the record's mapping.json, from which the report
// tells which vertex keeps the busiest core busy. Apart from mapping.h, which users' programs include.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/common/mapping.h"

namespace polyloom::apps {

/// Combined vertices by name, most in-edges first, and forecasts of a superstep in which all vertices send.
nlohmann::json summary_of(const Mapping& mapping, const polite::VertexNames& names);
/// The same, and the work of each core, which goes by its name among the counters.
nlohmann::json record_of(const Mapping& mapping, const polite::VertexNames& names);

}  // namespace polyloom::apps
