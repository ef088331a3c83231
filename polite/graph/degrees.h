// SPDX-License-Identifier: Apache-2.0
// Counts edges by their ends.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/pool.h"
#include "polite/graph_store.h"

namespace polyloom::polite {

/// Adds to degree[v] how many of the edges have v as the end `end`. False if some end is no vertex; such ends are
/// left out.
bool count_ends(std::span<const Edge> edges, std::uint32_t Edge::*end, std::span<std::uint32_t> degree,
                fabric::Pool& pool);

}  // namespace polyloom::polite
