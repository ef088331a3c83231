// SPDX-License-Identifier: Apache-2.0
// What one process tells another after a window: its outcome and the segments that cross, as 64-bit words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/segment.h"
#include "fabric/worker.h"

namespace polyloom::fabric::mpi {

/// Layout: word 0 total length, 1 window number, 2 next event, 3 flags and failed node; then for each segment
/// link and shape, first, length, words.
class Message {
 public:
  void begin(std::uint64_t window, const Outcome& outcome);
  void add(int link, const Segment& segment);
  std::span<const std::uint64_t> finish();

 private:
  std::vector<std::uint64_t> words_;
};

inline constexpr std::size_t kHeaderWords = 4;

/// The outcome in a message (its `error` is null). Throws std::logic_error if it is of another window.
Outcome read_outcome(std::span<const std::uint64_t> message, std::uint64_t window);

/// Calls deliver(link id, segment) for each segment, its period left 0.
template <typename Deliver>
void read_segments(std::span<const std::uint64_t> message, Deliver deliver) {
  for (std::size_t at = kHeaderWords; at < message.size();) {
    const std::uint64_t shape = message[at];
    Segment segment;
    segment.first = static_cast<Time>(message[at + 1]);
    segment.head = (shape >> 32) & 1;
    segment.tail = (shape >> 33) & 1;
    segment.keep = static_cast<std::uint8_t>((shape >> 40) & 0xff);
    const auto words = message.subspan(at + 3, message[at + 2]);
    segment.words.assign(words.begin(), words.end());
    at += 3 + words.size();
    deliver(static_cast<int>(shape & 0xffffffff), std::move(segment));
  }
}

}  // namespace polyloom::fabric::mpi
