// SPDX-License-Identifier: Apache-2.0
// The edges of a node's clock, found without wide divisions where they are evenly spaced in picoseconds.
#pragma once

#include "blocks/cycle.h"
#include "fabric/time.h"

namespace polyloom::collective {

using blocks::Cycle;
using blocks::kNeverCycle;
using fabric::Time;

class Edges {
 public:
  explicit Edges(std::uint64_t hz) : clock_(hz) {
    if (fabric::kPicosPerSecond % static_cast<Time>(hz) == 0) {
      period_ = fabric::kPicosPerSecond / static_cast<Time>(hz);
    }
  }

  Time at(Cycle k) const { return period_ != 0 ? static_cast<Time>(k) * period_ : clock_.edge(k); }
  /// The first edge not before t.
  Cycle from(Time t) const {
    if (period_ == 0) return clock_.first_edge_from(t);
    return t <= 0 ? 0
                  : (static_cast<Cycle>(t) + static_cast<Cycle>(period_) - 1) / static_cast<Cycle>(period_);
  }
  /// The same, not before `guess` either; quick if it is near.
  Cycle from(Time t, Cycle guess) const {
    for (Cycle near = guess; near < guess + 4; ++near) {
      if (at(near) >= t) return near;
    }
    return from(t);
  }
  /// No two edges are further apart.
  Time widest() const { return period_ != 0 ? period_ : clock_.edge(1) + 1; }
  /// The last edge not after t.
  Cycle before(Time t) const {
    const Cycle k = from(t);
    return at(k) == t ? k : k - 1;
  }

 private:
  fabric::Clock clock_;
  Time period_ = 0;  ///< 0: edges are not evenly spaced
};

}  // namespace polyloom::collective
