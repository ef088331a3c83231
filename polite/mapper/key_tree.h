// SPDX-License-Identifier: Apache-2.0
// The boards that a message by key passes: a tree in dimension order, X first, as all messages of the overlay
// go (roles/overlay/README.md). A set of boards is a word with a bit for each: ids have room for 64.
#pragma once

#include <bit>
#include <cstdint>

#include "polite/machine.h"
#include "roles/overlay/arch/records/records.h"

namespace polyloom::polite {

using Boards = std::uint64_t;

/// To how many threads of one board a key may bring a message each: as many records, of two chunks, fit it.
inline constexpr unsigned kMostCopies = 56;

inline Boards board_bit(unsigned board) { return Boards{1} << board; }
inline bool holds(Boards boards, unsigned board) { return boards >> board & 1; }
template <typename F>
void for_each_board(Boards boards, F&& f) {
  for (; boards != 0; boards &= boards - 1) f(static_cast<unsigned>(std::countr_zero(boards)));
}

/// Calls f(board, direction, next) for each link on the way of a message. Directions are those of records:
/// 0 north, 1 south, 2 east, 3 west.
template <typename F>
void for_each_link(const Machine& machine, unsigned from, unsigned to, F&& f) {
  const unsigned width = machine.boards_x;
  while (from % width != to % width) {
    const bool east = from % width < to % width;
    const unsigned next = east ? from + 1 : from - 1;
    f(from, east ? 2u : 3u, next);
    from = next;
  }
  while (from != to) {
    const bool north = from < to;
    const unsigned next = north ? from + width : from - width;
    f(from, north ? 0u : 1u, next);
    from = next;
  }
}
inline unsigned links_between(const Machine& machine, unsigned from, unsigned to) {
  unsigned links = 0;
  for_each_link(machine, from, to, [&](unsigned, unsigned, unsigned) { ++links; });
  return links;
}

/// All boards of the tree from `home` to `receivers`; its links are one less.
inline Boards tree_to(const Machine& machine, unsigned home, Boards receivers) {
  Boards passed = board_bit(home);
  for_each_board(receivers, [&](unsigned to) {
    for_each_link(machine, home, to, [&](unsigned, unsigned, unsigned next) { passed |= board_bit(next); });
  });
  return passed;
}

/// Calls f(direction, next) for each board of the tree that a message goes to from `board`.
template <typename F>
void for_each_branch(const Machine& machine, unsigned home, Boards tree, unsigned board, F&& f) {
  const unsigned width = machine.boards_x, x = board % width, y = board / width;
  const unsigned home_x = home % width, home_y = home / width;
  const auto go = [&](bool there_is_one, unsigned direction, unsigned next) {
    if (there_is_one && holds(tree, next)) f(direction, next);
  };
  go(y >= home_y && y + 1 < machine.boards_y, 0, board + width);
  go(y <= home_y && y > 0, 1, board - width);
  go(y == home_y && x >= home_x && x + 1 < width, 2, board + 1);
  go(y == home_y && x <= home_x && x > 0, 3, board - 1);
}

}  // namespace polyloom::polite
