// SPDX-License-Identifier: Apache-2.0
// How far packets run ahead of the link that they leave by. An engine that hands over a whole window at once
// makes its own acknowledgements and the data of other messages wait behind it, until receivers ask again for
// what only stands in a queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "roles/mpi/arch/packet.h"

namespace polyloom::mpi {

using Time = std::int64_t;  ///< ps
inline constexpr Time kNever = std::numeric_limits<Time>::max();

class Pace {
 public:
  /// `rate` in bits a second; 0: the transport has its own brake.
  explicit Pace(std::uint64_t rate) : rate_(rate) {}

  void sent(std::size_t payload_bytes, Time now) {
    if (rate_ == 0) return;
    const std::uint64_t bits = (kFrameHead + kMessageHead + kCheckBytes + payload_bytes) * 8;
    free_at_ = std::max(free_at_, now) + static_cast<Time>(bits * 1'000'000'000'000 / rate_);
  }
  bool may_send(Time now) const { return free_at_ <= now + kAhead; }
  /// When there is room for some packets again.
  Time next() const { return free_at_ - kAhead / 2; }

 private:
  static constexpr std::size_t kCheckBytes = 4;
  /// Three packets at 10 Gb/s: longer than an owner sleeps at the least, shorter than any retransmission
  /// time.
  static constexpr Time kAhead = 4'000'000;

  std::uint64_t rate_;
  Time free_at_ = 0;  ///< when all that was sent has left
};

}  // namespace polyloom::mpi
