// SPDX-License-Identifier: Apache-2.0
// Domains as threads of this process; LETs are made by the host.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include "nbody/run/exchange.h"
#include "nbody/tree/let.h"

namespace polyloom::nbody {

/// Whether a rank gives its peers LETs or, to compare, its whole tree. Forces are the same bit by bit.
enum class LetMode { kHost, kFull };

/// What the threads share. Each rank's thread makes one LocalExchange. No more than `at_once` threads compute
/// at a time; one that waits for others does not count.
class LocalTeam {
 public:
  LocalTeam(unsigned ranks, unsigned at_once, LetMode mode);
  /// Runs work(rank) in a thread a rank until all are done, then throws the first exception again.
  template <typename Work>
  void run(const Work& work);

 private:
  friend class LocalExchange;
  /// Thrown in ranks that wait for one that failed.
  struct Abandoned {};
  void meet();
  void fail(std::exception_ptr error);

  const unsigned ranks_;
  const LetMode mode_;
  std::counting_semaphore<> slots_;
  std::mutex mutex_;
  std::condition_variable met_;
  unsigned arrived_ = 0;
  std::uint64_t round_ = 0;
  std::exception_ptr failure_;
  // What ranks show one another between two meetings.
  std::vector<std::span<const std::byte>> gathered_;
  std::vector<std::vector<Bytes>> sent_;
  std::vector<std::vector<Let>> lets_;  ///< [from][to]
  std::vector<TreeView> whole_;
};

class LocalExchange final : public Exchange {
 public:
  LocalExchange(LocalTeam& team, unsigned rank) : team_(team), rank_(rank) {}
  unsigned rank() const override { return rank_; }
  unsigned size() const override { return team_.ranks_; }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override;
  std::vector<Bytes> all_to_all(std::vector<Bytes> parts) override;
  std::span<NodeRecord> tree_memory(std::size_t count) override;
  bool carries_second() const override { return true; }
  std::vector<TreeView> exchange_lets(const TreeView& local, std::span<const Summary> summaries) override;
  double waited() const override { return waited_; }

 private:
  void meet();

  LocalTeam& team_;
  const unsigned rank_;
  std::vector<NodeRecord> memory_;
  double waited_ = 0;
};

template <typename Work>
void LocalTeam::run(const Work& work) {
  const auto guarded = [&](unsigned rank) {
    slots_.acquire();
    try {
      work(rank);
    } catch (const Abandoned&) {
      return;  // without a slot; `failure_` is another's
    } catch (...) {
      fail(std::current_exception());
    }
    slots_.release();
  };
  std::vector<std::thread> threads;
  for (unsigned rank = 1; rank < ranks_; ++rank) threads.emplace_back(guarded, rank);
  guarded(0);
  for (std::thread& thread : threads) thread.join();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace polyloom::nbody
