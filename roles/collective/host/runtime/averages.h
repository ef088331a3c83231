// SPDX-License-Identifier: Apache-2.0
// What an average must look at before it runs: sums on its way that might leave 32 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {

/// Sums of any of the ranks' int32 elements fit 32 bits. Throws UserError that names the first that may not.
void require_small_sums(const Request& request, const std::string& algorithm,
                        std::span<const std::span<const std::uint8_t>> send);
/// By how many powers of two the sums of a float average might be above fp32; 0 if they cannot.
int binades_above(const Request& request, std::span<const std::span<const std::uint8_t>> send);
/// Multiplies floats by 2^binades, which is exact but below 2^-126.
void scale_floats(std::span<std::uint8_t> bytes, int binades);

}  // namespace polyloom::collective
