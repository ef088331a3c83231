// SPDX-License-Identifier: Apache-2.0
#include "fabric/mpi/wire.h"

#include <stdexcept>
#include <string>

namespace polyloom::fabric::mpi {

void Message::begin(std::uint64_t window, const Outcome& outcome) {
  const std::uint64_t flags = std::uint64_t{outcome.stop} | (std::uint64_t{outcome.interrupted} << 1) |
                              (std::uint64_t{outcome.worked} << 2) |
                              (static_cast<std::uint64_t>(outcome.failed + 1) << 32);
  words_.assign({0, window, static_cast<std::uint64_t>(outcome.next), flags});
}

void Message::add(int link, const Segment& segment) {
  words_.push_back(static_cast<std::uint64_t>(link) | (std::uint64_t{segment.head} << 32) |
                   (std::uint64_t{segment.tail} << 33) | (std::uint64_t{segment.keep} << 40));
  words_.push_back(static_cast<std::uint64_t>(segment.first));
  words_.push_back(segment.words.size());
  words_.insert(words_.end(), segment.words.begin(), segment.words.end());
}

std::span<const std::uint64_t> Message::finish() {
  words_[0] = words_.size();
  return words_;
}

Outcome read_outcome(std::span<const std::uint64_t> message, std::uint64_t window) {
  if (message[1] != window) {
    throw std::logic_error("processes disagree: window " + std::to_string(message[1]) + " came, " +
                           std::to_string(window) + " is here; all must build the same fabric");
  }
  Outcome outcome;
  outcome.next = static_cast<Time>(message[2]);
  outcome.stop = message[3] & 1;
  outcome.interrupted = (message[3] >> 1) & 1;
  outcome.worked = (message[3] >> 2) & 1;
  outcome.failed = static_cast<int>(message[3] >> 32) - 1;
  return outcome;
}

}  // namespace polyloom::fabric::mpi
