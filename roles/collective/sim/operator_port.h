// SPDX-License-Identifier: Apache-2.0
// The operator slot of a collective node, between the switch's registers before its inputs and its outputs.
//
// Owns: the slot, and the beats in the switch's registers before each of its inputs.
// Contract: of an edge, first feed() (from the registers into the slot), then the switch (push(), result()),
//   then clock(). The operator is one part of the step, over when its inputs have ended, its outputs were
//   moved and the slot is idle. The operator's own cycles: blocks/operators/sim/operator.h.
// Thread safety: none; embedded in an engine. Tests: ../tests/operator_test.cc, swap_partition_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "blocks/operators/sim/operator.h"
#include "roles/collective/sim/beat.h"
#include "roles/collective/sim/params.h"
#include "roles/collective/sim/running_step.h"

namespace polyloom::collective {

class OperatorPort {
 public:
  /// No operators in `params`: never active.
  OperatorPort(const CollectiveParams& params, RunningStep& step);

  // ---- the step
  void clear_step() {
    active_feeds_.clear();
    active_ = false;
  }
  /// The step configures an output.
  void load_config() {
    if (!active_) step_.expect();
    active_ = true;
  }
  void load_feed(unsigned input);
  /// The configuration of the step that go has made active.
  void configure(std::span<const Instruction> step);
  void leave();
  bool active() const { return active_; }

  // ---- an edge
  /// True if a beat moved.
  bool feed(Cycle k);
  /// `moved_out`: every beat of the step's outputs has been moved. True if its part of the step is over, or
  /// wrong.
  bool clock(Cycle k, bool moved_out);
  /// Nothing happens until a beat is pushed or popped.
  bool quiet() const;

  // ---- the switch
  bool full(unsigned input) const { return feeds_[input].full; }
  /// The registers before an input hold all that they can.
  bool holds_all(unsigned input) const { return feeds_[input].held == kSwitchBeats; }
  void push(unsigned input, const Beat& beat) {
    Feed& feed = feeds_[input];
    feed.beats[feed.held + feed.coming++] = beat;
    feed.finished = beat.last;
  }
  bool result_ready(unsigned output) const { return (slot_->valid() >> output & 1) != 0; }
  void result(unsigned output, Beat& into);

  // ---- reports
  std::uint64_t status(unsigned word) const { return slot_ ? slot_->status(word) : 0; }
  void digest(fabric::Digest& d) const {
    if (slot_) slot_->digest(d);
  }

 private:
  /// An input of the operator: the switch's registers before it.
  struct Feed {
    bool finished = false;
    std::array<Beat, kSwitchBeats> beats;
    unsigned held = 0, coming = 0;
    bool full = false;
  };

  const CollectiveParams& p_;
  RunningStep& step_;
  std::optional<blocks::operators::Slot> slot_;
  std::vector<Feed> feeds_;
  std::vector<unsigned> active_feeds_;
  bool active_ = false;  ///< in this step
};

}  // namespace polyloom::collective
