// SPDX-License-Identifier: Apache-2.0
// What the messages of a row reach: threads, mailboxes, boards.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "polite/mapper/key_tree.h"
#include "polite/mapper/routes.h"

namespace polyloom::polite {

class Spread {
 public:
  Spread(const Routes& routes, const Machine& machine) : routes_(routes), machine_(machine) {}

  /// Looks at a row.
  void look(std::size_t row) {
    const std::uint32_t sender = routes_.thread[routes_.sender(row)];
    home = machine_.board_of(sender);
    away.clear();
    for (const std::uint32_t t : routes_.targets(row)) {
      if (!routes_.is_local(row, t)) away.emplace_back(routes_.thread[t], t);
    }
    std::sort(away.begin(), away.end());
    for_each_board(boards, [&](unsigned b) { threads_on[b] = mailboxes_on[b] = 0; });
    boards = 0;
    threads = mailboxes = 0;
    for (std::size_t i = 0; i < away.size(); ++i) {
      const std::uint32_t thread = away[i].first;
      if (i != 0 && away[i - 1].first == thread) continue;
      const unsigned board = machine_.board_of(thread);
      boards |= board_bit(board);
      ++threads, ++threads_on[board];
      if (i != 0 && machine_.mailbox_of(away[i - 1].first) == machine_.mailbox_of(thread)) continue;
      ++mailboxes, ++mailboxes_on[board];
    }
  }
  bool leaves_home() const { return (boards & ~board_bit(home)) != 0; }
  /// Messages that the sender sends.
  unsigned sends(Way way) const {
    switch (way) {
      case Way::threads:
        return threads;
      case Way::masks:
        return mailboxes;
      case Way::key_and_masks:
        return 1 + mailboxes_on[home];
      case Way::key_and_threads:
        return 1 + threads_on[home];
      default:
        return 1;
    }
  }

  unsigned home = 0;                                          ///< board of the sender
  std::vector<std::pair<std::uint32_t, std::uint32_t>> away;  ///< thread and target of what gets messages
  unsigned threads = 0, mailboxes = 0;                        ///< that these are
  Boards boards = 0;                                          ///< and their boards, and by board
  std::array<std::uint32_t, 64> threads_on{}, mailboxes_on{};

 private:
  const Routes& routes_;
  const Machine& machine_;
};

}  // namespace polyloom::polite
