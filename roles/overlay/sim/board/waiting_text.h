// SPDX-License-Identifier: Apache-2.0
// Words for what threads wait for: the same of a board of the fast model and of one in RTL.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// "tinselIdle", "can-recv", ... for WaitBits that are not 0.
std::string wait_name(std::uint32_t bits);

/// Threads of a board, sorted by what is said of each.
class ThreadGroups {
 public:
  explicit ThreadGroups(const BoardParams& board) : board_(board) {}

  /// `thread`: in its tile.
  void note(const std::string& what, unsigned tile, unsigned thread);
  unsigned count(const std::string& what) const;
  /// "1023 threads waiting in tinselIdle, 1 thread running (core 3 thread 7)"; the first one of a group is
  /// named unless the group is most of the board.
  std::string text() const;

 private:
  struct Group {
    unsigned count = 0, tile = 0, thread = 0;
  };
  BoardParams board_;
  std::map<std::string, Group> groups_;
};

/// Threads that have messages and do not receive them block the threads whose messages have not left.
struct Blocking {
  explicit Blocking(const BoardParams& board) : receivers(board), senders(board) {}
  void note(bool can_send, bool can_recv, unsigned tile, unsigned thread);
  /// Empty, or "; 1 thread with messages that it ..."
  std::string text() const;
  ThreadGroups receivers, senders;
};

}  // namespace polyloom::overlay
