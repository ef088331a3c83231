// SPDX-License-Identifier: Apache-2.0
// How large a board is.
#pragma once

#include <cstdint>

#include "spec/overlay_keys.h"

namespace polyloom::overlay {

/// Sizes of one board: keys of [overlay], each with its meaning and default in spec/keys/overlay.py.
struct BoardParams : keys::BoardValues {
  std::uint64_t clock_hz = 250'000'000;

  unsigned tiles() const { return tiles_x * tiles_y; }
  unsigned threads_per_tile() const { return cores_per_tile * threads_per_core; }
  /// Mask bits that stand for a thread.
  std::uint64_t tile_mask() const { return ~std::uint64_t{0} >> (64 - threads_per_tile()); }
  unsigned threads() const { return tiles() * threads_per_tile(); }
};

}  // namespace polyloom::overlay
