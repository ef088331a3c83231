// SPDX-License-Identifier: Apache-2.0
// What the vertices send in one round. The engine keeps two: while one is delivered, the other is filled.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "polite/graph/huge_pages.h"
#include "polite/native/blocks.h"
#include "polite/types.h"

namespace polyloom::polite {

/// How much was sent.
struct Tally {
  std::uint64_t senders = 0;
  std::uint64_t edges = 0;  ///< out-edges of the vertices that did not send to the host
  std::uint64_t to_host = 0;
  std::uint64_t again = 0;  ///< senders that want to send once more

  void operator+=(const Tally& other) {
    senders += other.senders;
    edges += other.edges;
    to_host += other.to_host;
    again += other.again;
  }
};

/// A message is kept once, at its sender. Invariant: pin[v] is No for every v of a block whose tally has no
/// senders.
template <typename M>
struct Outbox {
  HugeVector<PPin> pin;      ///< pin that each vertex sent on, or No; whole blocks
  HugeVector<M> message;     ///< valid where pin is not No
  std::vector<Tally> tally;  ///< by block
  Tally total;

  Outbox(std::uint32_t vertices, std::size_t blocks)
      : pin(blocks * kNativeBlock, No), message(vertices), tally(blocks) {}

  /// Forgets what a block sent.
  void clear(std::size_t block) {
    if (tally[block].senders == 0) return;
    std::memset(&pin[block * kNativeBlock], No, kNativeBlock);
    tally[block] = {};
  }
  void sum_up() {
    total = {};
    for (const Tally& one : tally) total += one;
  }
  /// Calls body(v) for every sender of a block, in order.
  template <typename Body>
  void each_sender(std::size_t block, Body&& body) const {
    each_set(&pin[0], block * kNativeBlock, kNativeBlock, body);
  }
  /// Calls body(v) for every v of [first, first + count) whose pin is not No; count is a multiple of 8.
  template <typename Body>
  static void each_set(const PPin* pins, std::size_t first, std::size_t count, Body&& body) {
    for (std::size_t at = first; at < first + count; at += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, pins + at, 8);
      for (; eight != 0; eight &= ~(std::uint64_t{0xff} << (__builtin_ctzll(eight) & ~7))) {
        body(static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(__builtin_ctzll(eight) / 8));
      }
    }
  }
};

}  // namespace polyloom::polite
