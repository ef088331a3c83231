// SPDX-License-Identifier: Apache-2.0
// Operations by their definition, on this process's memory: what native fidelity does when no algorithm is
// named.
//
// Contract: one span a rank, of the sizes that send_bytes() and recv_bytes() say (plan.h). Copies and
//   reductions run at the memory's speed, on all cores once there is enough to do. Spans may overlap.
// Reductions: float sums are the operator's balanced tree over ranks (blocks/operators/README.md), so ranks
//   get the bits of an algorithm that joins all of them at once; integer averages and extremes too are the
//   operator's. A float average is the rounded mean; the operator multiplies its fp32 sum by a rounded 1/n.
#pragma once

#include <cstdint>
#include <span>

#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {

/// Name that a result gives as its algorithm.
inline constexpr const char* kNativeAlgorithm = "memory";

void run_native(const Request& request, std::span<const std::span<const std::uint8_t>> send,
                std::span<const std::span<std::uint8_t>> recv);

}  // namespace polyloom::collective
