// SPDX-License-Identifier: Apache-2.0
// Which part goes to which position of a mesh, so that parts that talk much are close.
#pragma once

#include <cstdint>
#include <vector>

namespace polyloom::polite {

/// What parts at these positions load the links with: the busiest, plus the mean one. Messages go along X,
/// then along Y; `traffic` is a (width * height)^2 matrix.
double link_load(unsigned width, unsigned height, const std::vector<std::uint64_t>& traffic,
                 const std::vector<std::uint32_t>& position);

/// `traffic` is symmetric. Returns the position (y * width + x) of each part: of 32 random starts, each
/// improved by exchanging pairs until none shortens the way (sum of traffic times Manhattan distance), the
/// one with the least link_load. Source: docs/sources/tinsel.md, 5.5, with all pairs, incremental cost and
/// loads of links.
std::vector<std::uint32_t> place_on_mesh(unsigned width, unsigned height,
                                         const std::vector<std::uint64_t>& traffic, std::uint64_t seed);

}  // namespace polyloom::polite
