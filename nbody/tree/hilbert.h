// SPDX-License-Identifier: Apache-2.0
// Peano-Hilbert keys in three dimensions.
#pragma once

#include <cstdint>

namespace polyloom::nbody {

/// Place of the cell (x, y, z) on the curve through 2^bits cells an axis, bits <= 21. Cells that follow one
/// another share a face, and each group of three bits of a key, from the top, is the octant at one more level
/// of the octree.
std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y, std::uint32_t z, unsigned bits);

}  // namespace polyloom::nbody
