// SPDX-License-Identifier: Apache-2.0
// The two halves of one channel of a reliable link: what waits to be acknowledged, and what waits to be
// taken. Items are numbered from 0 without end; the wire carries these numbers modulo a power of two.
//
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "blocks/cycle.h"

namespace polyloom::blocks {

/// The number at or after `from` whose low `bits` bits are `wire`.
constexpr std::uint64_t unwrap_ahead(std::uint64_t from, std::uint64_t wire, unsigned bits) {
  return from + ((wire - from) & ((std::uint64_t{1} << bits) - 1));
}

/// The number within half the range of `near` whose low `bits` bits are `wire`.
constexpr std::uint64_t unwrap_near(std::uint64_t near, std::uint64_t wire, unsigned bits) {
  const std::uint64_t range = std::uint64_t{1} << bits;
  const std::uint64_t ahead = unwrap_ahead(near, wire, bits);
  return ahead - near < range / 2 || ahead < range ? ahead : ahead - range;
}

/// Items with the cycle from which each may be used, in a ring addressed by item number.
class ItemRing {
 public:
  explicit ItemRing(std::size_t capacity) : slots_(std::bit_ceil(capacity < 1 ? 1 : capacity)) {}
  struct Slot {
    std::uint64_t item = 0;
    Cycle from = 0;
  };
  Slot& operator[](std::uint64_t number) { return slots_[number & (slots_.size() - 1)]; }
  const Slot& operator[](std::uint64_t number) const { return slots_[number & (slots_.size() - 1)]; }

 private:
  std::vector<Slot> slots_;
};

/// Sending half: base <= next <= high <= end.
struct TxChannel {
  TxChannel(std::size_t capacity_, std::uint64_t limit_, std::uint64_t window_)
      : capacity(capacity_), window(window_), limit(limit_), ring(capacity_) {}

  std::size_t capacity;
  std::uint64_t window;    ///< most items on their way that the sequence numbers can tell apart
  std::uint64_t base = 0;  ///< oldest item not acknowledged
  std::uint64_t next = 0;  ///< next item to put on the wire
  std::uint64_t high = 0;  ///< first item never put on the wire
  std::uint64_t end = 0;   ///< first item not yet pushed
  std::uint64_t limit;     ///< first item that the far side has no room for
  Cycle progress = 0;      ///< when the time-out started to count
  Cycle resend_from = 0;   ///< earliest cycle of the next frame after going back
  ItemRing ring;

  std::size_t space() const { return capacity - static_cast<std::size_t>(end - base); }
  /// First item that may not be sent now.
  std::uint64_t stop() const { return std::min({end, limit, base + window}); }
  bool may_send() const { return next < stop(); }
  bool waits_for_ack() const { return base < next; }
  /// All is acknowledged, more is here, and the far side has no room.
  bool waits_for_room() const { return base == next && next < end && next >= limit; }
};

/// Receiving half: taken <= expected.
struct RxChannel {
  explicit RxChannel(std::size_t capacity_) : capacity(capacity_), ring(capacity_), limit_sent(capacity_) {}

  std::size_t capacity;
  std::uint64_t expected = 0;  ///< first item not yet received
  std::uint64_t taken = 0;     ///< first item not yet popped
  bool nack_sent = false;      ///< a gap was reported and not yet closed
  ItemRing ring;
  std::uint64_t limit_sent;             ///< last limit told
  std::vector<Cycle> pops;              ///< of items popped since the last transmit
  std::uint64_t taken_reported = 0;     ///< taken as the sending side knows it
  std::uint64_t expected_reported = 0;  ///< expected as the sending side knows it

  std::size_t held() const { return static_cast<std::size_t>(expected - taken); }
};

}  // namespace polyloom::blocks
