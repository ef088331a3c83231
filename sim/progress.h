// SPDX-License-Identifier: Apache-2.0
// What a run shows of itself while it goes on: simulated time, what was done, how fast, and how long it may
// take yet.
#pragma once

#include <cstdint>
#include <string>

#include "fabric/fabric.h"
#include "fabric/host/progress_line.h"

namespace polyloom::simulator {

/// For EngineOptions::progress. Only looks: the nodes' counters and the links' traffic, when something is to
/// be shown.
class Progress {
 public:
  /// `clock_hz`: whose cycles are counted. `limit`: where the run is stopped, kNever if nowhere.
  Progress(const fabric::Fabric& fabric, std::uint64_t clock_hz, fabric::Time limit)
      : fabric_(fabric), clock_hz_(clock_hz), limit_(limit) {}

  void operator()(fabric::Time now) {
    if (line_.due()) line_.show(text(now, line_.seconds()));
  }
  /// `seconds` of wall clock since the start.
  std::string text(fabric::Time now, double seconds);

 private:
  const fabric::Fabric& fabric_;
  std::uint64_t clock_hz_;
  fabric::Time limit_;
  fabric::ProgressLine line_;
  fabric::Time last_ = 0;    ///< simulated, when something was shown last
  double last_seconds_ = 0;  ///< the same, wall clock
};

}  // namespace polyloom::simulator
