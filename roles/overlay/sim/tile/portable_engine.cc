// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/tile_window.h"

namespace polyloom::overlay {
namespace {

struct PortableEngine {
  static Barrel::Issue window(Barrel& barrel, Cycle from, std::uint8_t* left) {
    return barrel.window(from, left);
  }
  static std::uint64_t pack_nibbles(std::uint64_t word, std::uint64_t mask) {
    return overlay::pack_nibbles(word, mask);
  }
  static std::uint64_t spread_bits(std::uint32_t bits) { return overlay::spread_bits(bits); }
  static unsigned count_bits(std::uint32_t byte) { return overlay::count_bits(byte); }
};

}  // namespace

void advance_portable(Tile::Impl& tile, Cycle from) { advance_window<PortableEngine>(tile, from); }

}  // namespace polyloom::overlay
