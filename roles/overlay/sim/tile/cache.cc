// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/cache.h"

#include <string>

#include "fabric/error.h"

namespace polyloom::overlay {

CacheShape::CacheShape(const BoardParams& params)
    : ways(params.cache_ways), sets(params.cache_sets_per_thread), line_bytes(params.line_bytes) {
  if (!std::has_single_bit(ways) || ways > kMaxWays) {
    throw UserError("overlay: cache_ways is " + std::to_string(ways) + "; it may be 1, 2, 4, 8 or 16");
  }
  if (!std::has_single_bit(sets) || sets > kMaxSets || ways * sets > kMaxLines) {
    throw UserError("overlay: cache_sets_per_thread is " + std::to_string(sets) + " with " +
                    std::to_string(ways) +
                    " ways; it must be a power of two up to 16, and a thread has at most " +
                    std::to_string(kMaxLines) + " lines");
  }
  if (!std::has_single_bit(line_bytes) || line_bytes < 16 || line_bytes > 128) {
    throw UserError("overlay: line_bytes is " + std::to_string(line_bytes) +
                    "; a cache line is 16, 32, 64 or 128 bytes");
  }
  way_shift = static_cast<unsigned>(std::countr_zero(ways));
  line_shift = static_cast<unsigned>(std::countr_zero(line_bytes));
  set_mask = sets - 1;
  line_mask = ~(line_bytes - 1);
  for (unsigned slot = 0; slot < ways * sets; ++slot) {
    unsigned path = 0, away = 0;
    for (unsigned node = slot % ways + ways; node > 1; node /= 2) {
      path |= 1u << (node / 2);
      if (node % 2 == 0) away |= 1u << (node / 2);  // came from the left: the victim is to the right
    }
    slots[slot] = {static_cast<std::uint16_t>(~path), static_cast<std::uint16_t>(away),
                   static_cast<std::uint16_t>(slot << line_shift), static_cast<std::uint8_t>(slot / ways),
                   static_cast<std::uint8_t>(slot)};
  }
}

}  // namespace polyloom::overlay
