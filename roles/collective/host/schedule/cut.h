// SPDX-License-Identifier: Apache-2.0
// Cuts works at the borders of layout pieces: the first half of packing.
#pragma once

#include <vector>

#include "roles/collective/host/schedule/pack.h"

namespace polyloom::collective {

/// A flow of a unit: its places have become patterns.
struct UnitFlow {
  int join = -1;
  int rank = 0;
  Pattern read;
  std::vector<Write> writes;
  const Flow* flow = nullptr;  ///< routes and feeds
};
/// What goes into one step whole.
struct Unit {
  std::uint64_t bytes = 0;
  std::vector<UnitFlow> flows;
  const Work* work = nullptr;
};

/// References into `phase` stay in the result. Relayed streams of several runs only if relays_merge. Throws
/// UserError where a cut would not be at a beat.
std::vector<Unit> cut(const Phase& phase, const Buffers& buffers, bool relays_merge = true);
/// A node that is not its source passes a flow of the unit on.
bool relayed(const Unit& unit);

}  // namespace polyloom::collective
