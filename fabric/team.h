// SPDX-License-Identifier: Apache-2.0
// The threads of one process that advance its nodes window by window. Internal to the engines.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/worker.h"

namespace polyloom::fabric {

/// Threads live as long as the team and meet each window: the calling thread opens it by raising an epoch,
/// and every thread then claims shares of the nodes, its own first. A share that no one has begun is free to
/// all, so unequal work evens out, and a helper that the system has put aside (a busy machine) delays no
/// other. Waiting spins for a while when there is a processor for each thread (a window lasts microseconds),
/// then sleeps. All public functions are for the thread that made the team.
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

  /// One for each share.
  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }
  const std::vector<Place>& places() const { return places_; }

 private:
  struct alignas(64) Share {
    std::atomic<std::uint32_t> claimed{0}, done{0};  ///< last epoch that was begun and ended
    Outcome outcome;
  };
  void divide(int shares);
  void help(std::size_t thread);
  /// Works on what this thread can claim of an epoch.
  void work(std::size_t thread, std::uint32_t epoch);
  void try_share(std::size_t index, std::uint32_t epoch);

  Fabric& fabric_;
  std::size_t threads_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Share>>
      shares_;                 ///< beside workers_; share i belongs first to thread i % threads_
  std::vector<Place> places_;  ///< by node id
  std::vector<std::thread> helpers_;
  bool spin_ = false;
  Window window_;  ///< of the present epoch
  std::atomic<bool> quit_ = false;
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
};

/// Divides nodes of these weights over `parts` so that the heaviest part is light (longest processing time
/// first). Returns the part of each.
std::vector<int> balance(const std::vector<double>& weights, int parts);

}  // namespace polyloom::fabric
