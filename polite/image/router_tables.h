// SPDX-License-Identifier: Apache-2.0
// Routing tables of a placed graph: for each row that leaves by key, a tree of keys over the boards that its
// messages pass. On each board a key's records lead to the next boards and to the threads there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "polite/placed_graph.h"
#include "roles/overlay/arch/records/records.h"

namespace polyloom::polite {

struct Routes;

/// A message to receivers on one mailbox: a send of its own, or a record of a key.
struct Sent {
  std::uint64_t mask;
  std::uint32_t row;
  std::uint16_t key;
  bool local;  ///< to partial receivers on the sender's thread, which is no message
};

/// Keys of rows, and what lies in memory for them.
struct RouterTables {
  using Slice = std::vector<overlay::records::Beat>;
  static constexpr unsigned kMostSlices = 1u << overlay::records::key::kSlice.width;

  std::vector<std::uint32_t> key;                      ///< of each row on its sender's board
  std::vector<std::array<Slice, kMostSlices>> boards;  ///< beats from Machine::kRouterBase on
  std::vector<RouterTable> sizes;                      ///< of each board
};

/// Whether a message of `way` to a mailbox on board `to` goes by its row's key.
inline bool by_key(Way way, unsigned home, unsigned to) {
  return way == Way::key || (has_key(way) && home != to);
}

/// `sent` are the messages to each mailbox, by row. Parallel over boards; the result does not depend on the
/// number of host threads. Throws UserError if a board's tables do not fit.
RouterTables build_router_tables(const Routes& routes, const Placement& placement,
                                 const ElementLayout& layout, const std::vector<std::vector<Sent>>& sent,
                                 unsigned host_threads);

}  // namespace polyloom::polite
