// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/tile_window.h"

namespace polyloom::overlay {

struct PortableEngine {
  static Barrel::Issue window(Barrel& b, Cycle from, std::uint8_t* left);
  static bool crowded(const std::uint16_t* sets) {
    unsigned more = 0;
    for (unsigned o = 0; o < kWindow; ++o) more |= sets[o] & (sets[o] - 1u);
    return more != 0;
  }
  static std::uint64_t pack_nibbles(std::uint64_t word, std::uint64_t mask) {
    return overlay::pack_nibbles(word, mask);
  }
  static std::uint64_t spread_bits(std::uint32_t bits) { return overlay::spread_bits(bits); }
  static unsigned count_bits(std::uint32_t byte) { return overlay::count_bits(byte); }
};

inline Barrel::Issue PortableEngine::window(Barrel& b, Cycle from, std::uint8_t* left) {
  const Barrel::Joining j = b.join<PortableEngine>(from);
  std::uint64_t queue = b.queue_ | pack_nibbles(j.threads, j.mask())
                                       << (4 * b.count_ & 63);  // full: none joins
  unsigned ready = b.count_;
  Barrel::Issue r{0, 0, 0};
  for (unsigned o = 0; o < kWindow; ++o) {
    ready += byte_of(j.returned + j.resumed, o);
    const std::uint32_t can = ready != 0;
    const auto thread = static_cast<unsigned>(queue & 15u);
    std::uint8_t& l = left[thread];
    r.threads |= static_cast<std::uint64_t>(thread) << (8 * o);
    r.issued |= can << o;
    r.events |= (can & static_cast<std::uint32_t>(l == 0)) << o;
    l = static_cast<std::uint8_t>(l - can);
    queue >>= 4 * can;
    ready -= can;
  }
  b.queue_ = queue;
  b.count_ = ready;
  return r;
}

void advance_portable(Tile::Impl& tile, Cycle from) { advance_window<PortableEngine>(tile, from); }

}  // namespace polyloom::overlay
