// SPDX-License-Identifier: Apache-2.0
// Bytes for the consoles of threads, in order and none lost: a thread holds one byte, so the ones behind it
// wait here until the thread says that it has read it.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "blocks/shell/host_frames.h"

namespace polyloom::overlay {

/// Not thread safe.
class ConsoleInput {
 public:
  struct Thread {
    unsigned board = 0;
    unsigned core = 0;  ///< dense number on the board
    unsigned thread = 0;
    auto operator<=>(const Thread&) const = default;
  };
  using Send = std::function<void(unsigned board, const blocks::UartInFrame&)>;

  explicit ConsoleInput(Send send) : send_(std::move(send)) {}

  void put(Thread to, std::uint8_t byte);
  /// For the same thread of each of a board's `cores` cores.
  void put_to_all(unsigned board, unsigned cores, unsigned thread, std::uint8_t byte);
  /// The thread has read the byte that it held.
  void has_read(Thread thread);

 private:
  void send(Thread to, std::uint8_t byte) const;

  Send send_;
  std::map<Thread, std::deque<std::uint8_t>> behind_;  ///< an entry: the thread holds a byte; those behind it
};

}  // namespace polyloom::overlay
