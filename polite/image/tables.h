// SPDX-License-Identifier: Apache-2.0
// Tables of a placed graph: per thread the receivers of messages, per (vertex, pin) the messages to send, per
// board what its router looks up. Source: Multicast paper V.B to V.D: one message to each destination thread;
// or to each destination mailbox, with a mask of its threads and an index that means the same on all of them;
// or one by a routing key.
#pragma once

#include <cstdint>
#include <vector>

#include "polite/image/router_tables.h"
#include "polite/layout.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

inline constexpr std::uint32_t kNeutralLabel = 0xffffffff;

/// A thread's in-edge table.
struct InTable {
  std::vector<std::uint16_t> device;  ///< state offset in units, with kLastReceiver
  /// Which out-edge, for its label; kNeutralLabel: of a partial receiver. Empty where edges have no labels.
  std::vector<std::uint32_t> edge;
};

struct Tables {
  std::vector<InTable> in;               ///< by dense thread number
  std::vector<std::uint64_t> out_begin;  ///< rows of `out`: vertices * pins, then partial receivers; one more
  /// Messages that a send makes: by index, mailbox and mask, or by a routing key in the place of the low
  /// mask.
  std::vector<POutEdge> out;
  RouterTables routers;
};

/// Builds all tables. Parallel over mailboxes; the result does not depend on the number of host threads.
/// Throws UserError if a thread would need more than 65535 in-edge entries. Takes 12 bytes for each of
/// `edges_at_once`, at most.
Tables build_tables(const GraphStore& graph, const Placement& placement, const ElementLayout& layout,
                    unsigned host_threads, std::uint64_t edges_at_once);

}  // namespace polyloom::polite
