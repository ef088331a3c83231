// SPDX-License-Identifier: Apache-2.0
// Element-wise reduction of ranks' vectors as the operator does it (blocks/operators), many elements at once.
#pragma once

#include <cstdint>
#include <span>

#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {

/// Elements that a call of reduce_block() may have: inputs, results and what is between fit into the L1
/// cache.
inline constexpr std::size_t kBlockElements = 1024;

/// to[i] = combination of from[r][i] over all r. `to` overlaps no input.
/// Precondition: count <= kBlockElements, at most 64 inputs.
void reduce_block(const Combine& combine, std::span<const std::uint32_t* const> from, std::uint32_t* to,
                  std::size_t count);

}  // namespace polyloom::collective
