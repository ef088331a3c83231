// SPDX-License-Identifier: Apache-2.0
// The step that a program runs: which of its parts are not yet done, and what is wrong in it.
//
// Owns: the step's go, the number of its parts that are not yet done, the marks, the earliest fault that was
//   found, and the edge at which something last moved.
// Contract: ports and switch count a part with expect() while the step is loaded, and call part_done() once
//   for it. They report what is wrong with fault() and stop nothing themselves: the engine asks due_fault()
//   after each phase of an edge. The step is active from start() to the call for its last part.
// Thread safety: none; embedded in an engine. Tests: ../tests/engine_test.cc, fault_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "fabric/trace.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/sim/edges.h"

namespace polyloom::collective {

inline constexpr unsigned kNoLane = 0xff;

/// What is wrong, from which edge on it shows, and of which lane it is.
struct FoundFault {
  Cycle at;
  Fault code;
  unsigned lane;
  std::uint64_t value;
};

class RunningStep {
 public:
  /// `trace` is null if nothing is traced.
  RunningStep(const Edges& edges, fabric::TraceTrack* trace) : edges_(edges), trace_(trace) {}

  /// A program begins in cycle c; it has had no step.
  void begin_program(Cycle c, unsigned pc) {
    active_ = false;
    pc_ = pc;
    done_ = c;
    progress(c);
  }
  /// The instruction that a fault and waiting_for() name.
  void name(unsigned pc) { pc_ = pc; }
  void go(Cycle k, unsigned pc, const Instruction& i) {
    pc_ = pc;
    go_ = done_ = k;
    mark_ = i.index;
    together_ = (i.flags & kTogether) != 0;
  }
  void expect(unsigned parts = 1) { parts_ += parts; }
  /// The parts are counted. A step without any is over a cycle after its go.
  void start() {
    active_ = parts_ != 0;
    if (!active_) over(go_ + 1);
  }
  void part_done(Cycle when) {
    done_ = std::max(done_, when);
    if (--parts_ != 0) return;
    active_ = false;
    over(done_);
    if (trace_ != nullptr) trace_->complete("step " + std::to_string(pc_), edges_.at(go_), edges_.at(done_));
  }
  /// No parts: another step is loaded.
  void clear() { parts_ = 0; }
  /// The node stops: the step is never over.
  void leave() {
    active_ = false;
    parts_ = 0;
    fault_.reset();
  }

  /// The earliest counts, of those of one edge the first.
  void fault(Cycle at, Fault code, unsigned lane, std::uint64_t value) {
    if (!fault_ || at < fault_->at) fault_ = FoundFault{at, code, lane, value};
  }
  const std::optional<FoundFault>& found() const { return fault_; }
  bool due_fault(Cycle k) const { return fault_ && fault_->at <= k; }

  void progress(Cycle k) { last_progress_ = std::max(last_progress_, k); }
  Cycle last_progress() const { return last_progress_; }

  bool active() const { return active_; }
  unsigned pc() const { return pc_; }
  Cycle go_edge() const { return go_; }
  Cycle done_edge() const { return done_; }
  bool together() const { return together_; }
  Cycle mark(unsigned i) const { return marks_[i]; }

 private:
  void over(Cycle when) {
    done_ = when;
    if (mark_ < kMarks) marks_[mark_] = when;
  }

  const Edges& edges_;
  fabric::TraceTrack* trace_;
  bool active_ = false;  ///< a part is not yet done
  bool together_ = false;
  std::uint8_t mark_ = 0xff;
  unsigned pc_ = 0;  ///< of its go
  unsigned parts_ = 0;
  Cycle go_ = 0, done_ = 0, last_progress_ = 0;
  std::array<Cycle, kMarks> marks_{};
  std::optional<FoundFault> fault_;
};

}  // namespace polyloom::collective
