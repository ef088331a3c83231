// SPDX-License-Identifier: Apache-2.0
// The threads of one process that advance its nodes window by window. Internal to the engines.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/worker.h"

namespace polyloom::fabric {

/// Threads live as long as the team and meet at a barrier each window: the calling thread opens the window by
/// raising an epoch, works on its own share, and waits for each helper's answer. Waiting spins for a while
/// when there is a processor for each thread (a window lasts microseconds), then sleeps. All public functions
/// are for the thread that made the team.
class Team {
 public:
  /// Takes the nodes that the fabric owns in this process. Throws std::logic_error if one of them was not
  /// set.
  Team(Fabric& fabric, unsigned threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  Outcome prepare(Time now);
  Outcome step(const Window& window);
  /// After the last window: everything sent is in its receiver's queue, and no node is behind `end`.
  Outcome finish(const Window& last, Time end);

  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }
  const std::vector<Place>& places() const { return places_; }

 private:
  struct alignas(64) Helper {
    std::atomic<int> done{0};  ///< last epoch that was answered
    Outcome outcome;
    std::thread thread;
  };
  void help(std::size_t index);

  Fabric& fabric_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Place> places_;  ///< by node id
  std::vector<std::unique_ptr<Helper>> helpers_;
  bool spin_ = false;
  Window window_;  ///< of the present epoch
  bool quit_ = false;
  alignas(64) std::atomic<int> epoch_{0};
};

/// Divides nodes of these weights over `parts` so that the heaviest part is light (longest processing time
/// first). Returns the part of each.
std::vector<int> balance(const std::vector<double>& weights, int parts);

}  // namespace polyloom::fabric
