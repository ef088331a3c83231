// SPDX-License-Identifier: Apache-2.0
// The arbiter in front of a unit that a tile's cores share.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "roles/overlay/sim/tile/barrel.h"
#include "roles/overlay/sim/tile/bits.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// Requests of the cores to a shared unit that takes one a cycle: in order of issue within a core,
/// round-robin over the cores that have one.
class UnitQueue {
 public:
  bool empty() const { return count_ == 0; }

  /// Takes what the unit serves in a window. `requests` bit 8*core + o: the thread in byte o of threads[core]
  /// asked at offset o. Byte o of the result: kGranted | core << 4 | thread for what is taken at offset o, or
  /// 0.
  /// Engine gives the functions of bits.h.
  template <class Engine>
  [[gnu::always_inline]] std::uint64_t serve(std::uint32_t requests,
                                             const std::array<std::uint64_t, kMaxCores>& threads) {
    if (count_ == 0 && !collide(requests)) return serve_at_once<Engine>(requests, threads);
    std::uint32_t count = count_;
#pragma GCC unroll 4
    for (unsigned k = 0; k < kMaxCores; ++k) {
      const std::uint64_t mask = Engine::spread_bits(requests >> (8 * k) & 0xffu) * 15;
      queue_[k] |= Engine::pack_nibbles(threads[k], mask) << (4 * (count >> (8 * k) & 0xffu) & 63);
    }
    if (((count + 0x7e7e7e7eu) & 0x80808080u) == 0x80808080u) return serve_all(requests);
    // First the position of the next one in each cycle, then its thread.
    std::uint64_t turns = 0;
    unsigned last = last_;
#pragma GCC unroll 8
    for (unsigned o = 0; o < kWindow; ++o) {
      count += (requests >> o) & 0x01010101u;
      const std::uint64_t turn = kTurns[last + Engine::set_of(count)];
      count -= static_cast<std::uint32_t>(turn);
      last = static_cast<unsigned>(turn >> 40);
      turns = turns >> 8 | (turn >> 32) << 56;
    }
    last_ = last;
    count_ = count;
    std::uint64_t granted = turns;
#pragma GCC unroll 4
    for (unsigned k = 0; k < kMaxCores; ++k) {
      const std::uint64_t own = Engine::equal_bytes(turns, (kGranted | k << 4) * kBytesOfOne);
      granted |= Engine::unpack_nibbles(queue_[k], own & 0x0f0f0f0f0f0f0f0full);
      queue_[k] >>= 4 * Engine::count_bits(own & kBytesOfOne) & 63;
    }
    return granted;
  }
  static constexpr unsigned kGranted = 0x80;

 private:
  /// The rest of serve() when every core has two requests queued at the start: each gets its turn twice.
  [[gnu::always_inline]] std::uint64_t serve_all(std::uint32_t requests) {
    std::uint32_t heads = 0;  // a byte a core: its first two threads
#pragma GCC unroll 4
    for (unsigned k = 0; k < kMaxCores; ++k) {
      heads |= (queue_[k] & 0xffu) << (8 * k);
      queue_[k] >>= 8;
    }
    const auto turn = static_cast<int>(last_ / 2 + 8) % 32;  // a byte for each core that comes before
    const std::uint32_t cores = std::rotr(std::uint32_t{0xb0a09080}, turn);
    heads = std::rotr(heads, turn);
    const std::uint64_t second = (heads >> 4 & 0x0f0f0f0fu) | cores;
    const std::uint64_t granted = second << 32 | (heads & 0x0f0f0f0fu) | cores;
    std::uint32_t more = requests - (requests >> 1 & 0x55555555u);  // counts the bits of each byte
    more = (more & 0x33333333u) + (more >> 2 & 0x33333333u);
    count_ += ((more + (more >> 4)) & 0x0f0f0f0fu) - 0x02020202u;
    return granted;
  }

  /// The rest of serve() when nothing waits and no two cores ask in the same cycle.
  template <class Engine>
  [[gnu::always_inline]] std::uint64_t serve_at_once(std::uint32_t requests,
                                                     const std::array<std::uint64_t, kMaxCores>& threads) {
    std::uint64_t granted = 0;
#pragma GCC unroll 4
    for (unsigned k = 0; k < kMaxCores; ++k) {
      const std::uint64_t at = Engine::spread_bits(requests >> (8 * k) & 0xffu);
      granted |= (threads[k] & at * 15) | at * (kGranted | k << 4);
    }
    last_ = static_cast<unsigned>(granted >> (63 - std::countl_zero(granted) - 3)) % 4 * 16;
    return granted;
  }

  /// kTurns[16 * last + set]: the next one, the first member of the set after `last`. In bits 31:0 a 1 in
  /// the byte of that core, in 39:32 kGranted | core << 4 (both 0 for the empty set), above 16 * core (the
  /// empty set: `last`).
  static constexpr auto kTurns = [] {
    std::array<std::uint64_t, 16 * kMaxCores> table{};
    for (unsigned last = 0; last < kMaxCores; ++last) {
      for (unsigned set = 0; set < 16; ++set) {
        unsigned core = (last + 1) % kMaxCores;
        while (((set >> core) & 1) == 0 && core != last) core = (core + 1) % kMaxCores;
        std::uint64_t& turn = table[16 * last + set];
        turn = std::uint64_t{16 * core} << 40;
        if (set != 0) turn |= std::uint64_t{kGranted | core << 4} << 32 | 1u << (8 * core);
      }
    }
    return table;
  }();

  std::array<std::uint64_t, kMaxCores> queue_{};  ///< nibbles, oldest lowest, zero beyond the count
  std::uint32_t count_ = 0;                       ///< byte per core
  unsigned last_ = 16 * (kMaxCores - 1);          ///< 16 times the core granted last
};

}  // namespace polyloom::overlay
