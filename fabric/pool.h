// SPDX-License-Identifier: Apache-2.0
// A few threads that work through numbered blocks together, again and again, with little cost between.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace polyloom::fabric {

/// Invariant: between calls of run() no worker is at work. run() may be called from one thread only. Which worker
/// does which block is not fixed; callers whose results must not depend on it write only to places owned by
/// the block. A worker that the machine does not let run in time is not waited for: others do its part.
class Pool {
 public:
  /// `threads` workers, the caller of run() included; 0 = as the machine has, or POLYLOOM_THREADS. One that
  /// waits looks so often for work before it sleeps: kBusy where rounds follow each other closely.
  explicit Pool(unsigned threads = 0, int looks = 0);
  /// Some tens of microseconds, the length of a small round.
  static constexpr int kBusy = 20000;
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  unsigned workers() const { return static_cast<unsigned>(threads_.size()) + 1; }

  /// Calls body(block, worker) once for each block 0 .. blocks-1. Returns when all are done; the first
  /// exception that a body throws is thrown again here.
  template <typename Body>
  void run(std::size_t blocks, Body&& body) {
    if (blocks == 0) return;
    if (blocks == 1 || threads_.empty()) {
      for (std::size_t b = 0; b < blocks; ++b) body(b, 0u);
      return;
    }
    start(
        blocks,
        [](void* context, std::size_t block, unsigned worker) {
          (*static_cast<std::remove_reference_t<Body>*>(context))(block, worker);
        },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  using Call = void (*)(void* context, std::size_t block, unsigned worker);

  void start(std::size_t blocks, Call call, void* context);
  void serve(unsigned worker);
  void work(unsigned worker);

  const int looks_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  /// Number of the round times kRound, kOver once it has no blocks left, and how many workers are at work in it.
  std::atomic<std::uint64_t> round_{0};
  static constexpr std::uint64_t kOver = 1 << 15, kRound = 1 << 16;
  std::atomic<std::size_t> next_{0};
  std::size_t blocks_ = 0;
  Call call_ = nullptr;
  void* context_ = nullptr;
  std::exception_ptr failure_;
  bool ending_ = false;
};

}  // namespace polyloom::fabric
