// SPDX-License-Identifier: Apache-2.0
// Which part goes to which position of a mesh, so that parts that talk much are close.
#pragma once

#include <cstdint>
#include <vector>

namespace polyloom::polite {

/// `traffic` is a symmetric (width * height)^2 matrix. Returns the position (y * width + x) of each part: the
/// best of eight random starts, each improved by exchanging pairs until none helps; cost = sum of traffic
/// times Manhattan distance. Source: Tinsel facts 5.5, with all pairs and incremental cost.
std::vector<std::uint32_t> place_on_mesh(unsigned width, unsigned height,
                                         const std::vector<std::uint64_t>& traffic, std::uint64_t seed);

}  // namespace polyloom::polite
