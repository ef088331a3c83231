// SPDX-License-Identifier: Apache-2.0
// The timing engine for any host.
#include <algorithm>

#include "roles/overlay/sim/tile/tile_window.h"

namespace polyloom::overlay {

struct PortableEngine {
  static Issue window(Barrels& b, Cycle from, Progress& p, Barrels::Threads& threads);
  static bool returning(Barrels& b, const Barrels::Threads& threads, std::uint32_t back) {
    b.back_threads_ = threads;
    for (unsigned k = 0; k < kMaxCores; ++k) b.back_[k] = spread_bits(back >> (8 * k) & 0xffu);
    return back != 0 || b.queued();
  }
  static void response(std::uint64_t* calendar, std::uint64_t granted) {
    for (unsigned o = 0; o < kWindow; ++o) {
      const unsigned grant = byte_of(granted, o);
      if (grant != 0) calendar[o] |= std::uint64_t{1} << (grant % Progress::kSlots);
    }
  }
  static std::uint64_t latencies(std::uint64_t granted, const Progress& p, const Latencies& latency) {
    std::uint64_t all = 0;
    for (unsigned o = 0; o < kWindow; ++o) {
      const unsigned grant = byte_of(granted, o);
      const unsigned event = grant == 0 ? 0 : p.current[slot_of(grant >> 4 & 3u, grant & 15u)];
      all |= std::uint64_t{latency[event & 15u]} << (8 * o);
    }
    return all;
  }
  static std::uint64_t pack_nibbles(std::uint64_t word, std::uint64_t mask) {
    return overlay::pack_nibbles(word, mask);
  }
  static std::uint64_t unpack_nibbles(std::uint64_t word, std::uint64_t mask) {
    return overlay::unpack_nibbles(word, mask);
  }
  static std::uint64_t spread_bits(std::uint32_t bits) { return overlay::spread_bits(bits); }
  static unsigned count_bits(std::uint64_t word) { return static_cast<unsigned>(std::popcount(word)); }
  static std::uint64_t equal_bytes(std::uint64_t a, std::uint64_t b) { return overlay::equal_bytes(a, b); }
  static unsigned set_of(std::uint32_t counts) { return overlay::set_of(counts); }

 private:
  /// Lets a core's threads that are answered join its queue, one a cycle. Gives a byte for each cycle:
  /// kResponse | thread, or 0 if none joins.
  static std::uint64_t join(Barrels& b, unsigned core, Cycle from, const std::uint64_t* page) {
    // Sets of threads are rotated so that the thread whose turn it is in this window is bit 0.
    const auto turn = static_cast<int>(Barrels::turn_of(from));
    const unsigned shift = Barrels::kMaxThreads * core;
    const auto rotated = [&](std::uint64_t sets) {
      return std::rotr(static_cast<std::uint16_t>(sets >> shift), turn);
    };
    std::uint64_t joined = 0;
    std::uint16_t waiting = rotated(b.waiting_);
    for (unsigned o = 0; o < kWindow; ++o) {
      waiting |= rotated(page[o]);
      if (waiting == 0) continue;
      const auto first = static_cast<unsigned>(std::countr_zero(waiting) + turn) % Barrels::kMaxThreads;
      joined |= std::uint64_t{Barrels::kResponse | first} << (8 * o);
      waiting = static_cast<std::uint16_t>(waiting & (waiting - 1));
    }
    b.waiting_ &= ~(std::uint64_t{0xffff} << shift);
    b.waiting_ |= std::uint64_t{std::rotl(waiting, turn)} << shift;
    return joined;
  }
};

inline Issue PortableEngine::window(Barrels& b, Cycle from, Progress& p, Barrels::Threads& threads) {
  Issue r{};
  std::uint64_t* page = b.open_page(from);
  for (unsigned k = 0; k < kMaxCores; ++k) {
    const std::uint64_t responses = join(b, k, from, page);
    const std::uint64_t resumed = (responses >> 7) & kBytesOfOne;
    const std::uint64_t joining = b.back_threads_[k] | (responses & 0x0f * kBytesOfOne) << 4;
    std::uint64_t queue = b.queue_[k] | pack_nibbles(joining, b.back_[k] * 0x0f | resumed * 0xf0)
                                            << (4 * b.count_[k] & 63);
    std::uint64_t ready = b.count_[k];
    threads[k] = 0;
    for (unsigned o = 0; o < kWindow; ++o) {
      ready += byte_of(b.back_[k] + resumed, o);
      if (ready == 0) continue;
      const auto thread = static_cast<unsigned>(queue & 15u);
      threads[k] |= static_cast<std::uint64_t>(thread) << (8 * o);
      queue >>= 4;
      --ready;
      const unsigned slot = slot_of(k, thread);
      const std::uint32_t bit = 1u << (8 * k + o);
      r.issued |= bit;
      ++b.issued_[k];
      if (p.left[slot]-- != 0) continue;
      const std::uint8_t code = p.current[slot] = p.next[slot];
      if ((code & event::kCache) != 0) r.cache |= bit;
      if ((code & event::kFpu) != 0) r.fpu |= bit;
      if ((code & event::kScratchpad) != 0) r.scratchpad |= bit;
      if ((code & event::kControl) != 0) r.control |= bit;
      r.events |= std::uint64_t{1} << slot;
      if ((code & event::kCache) != 0 && code != event::hit) r.special |= std::uint64_t{1} << slot;
    }
    b.queue_[k] = queue;
    b.count_[k] = ready;
  }
  std::fill_n(page, kWindow, 0);
  return r;
}

void advance_portable(Tile::Impl& tile, Cycle from) { advance_window<PortableEngine>(tile, from); }

}  // namespace polyloom::overlay
