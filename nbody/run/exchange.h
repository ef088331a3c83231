// SPDX-License-Identifier: Apache-2.0
// What domains need of one another. Every rank calls the same functions in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nbody/tree/record.h"

namespace polyloom::nbody {

using Bytes = std::vector<std::byte>;

/// What a rank tells the others before trees are exchanged.
struct Summary {
  Target target;            ///< what its bodies need of other trees
  bool any = false;         ///< false: the domain is empty, it needs nothing and has no tree
  NodeRecord root{};        ///< if a target accepts it, it is the whole LET
  std::uint64_t nodes = 0;  ///< of its tree: no LET of it is longer
};

/// A rank's way to the others: threads of one process (LocalExchange), or processes whose memory lies in the
/// window of a hub. May be used by one thread, that of its rank.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;

  /// What every rank gave, in the order of ranks.
  virtual std::vector<Bytes> all_gather(std::span<const std::byte> mine) = 0;
  /// parts[p] goes to rank p; returns what each rank sent here.
  virtual std::vector<Bytes> all_to_all(std::vector<Bytes> parts) = 0;

  /// Where the records of the next local tree are to lie: `count` of them. Valid until the next call.
  virtual std::span<NodeRecord> tree_memory(std::size_t count) = 0;
  /// Whether trees may carry second moments through exchange_lets().
  virtual bool carries_second() const = 0;
  /// `summaries` are all ranks'. Gives each other rank the LET of `local` for its target, and returns what
  /// the others made for this rank, in the order of ranks, its own and empty ones left out. Valid until this
  /// rank's next collective call.
  virtual std::vector<TreeView> exchange_lets(const TreeView& local, std::span<const Summary> summaries) = 0;

  /// Seconds spent so far in waiting for others and moving data, as against computing.
  virtual double waited() const = 0;
  /// Simulated seconds since the start; 0 where ranks are not on a simulated cluster. A local call.
  virtual double simulated() { return 0; }
};

}  // namespace polyloom::nbody
