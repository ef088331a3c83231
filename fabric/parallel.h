// SPDX-License-Identifier: Apache-2.0
// A parallel loop for host work that splits into independent pieces.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace polyloom::fabric {

/// Host threads to use when `asked` is 0 or too many.
inline unsigned host_threads(unsigned requested) {
  const unsigned most = std::max(1u, std::thread::hardware_concurrency());
  return requested == 0 ? std::min(most, 16u) : requested;
}

/// Calls work(i) for i in [0, n) on `threads` threads, in any order. An exception ends the loop and is
/// rethrown.
template <typename Work>
void parallel_for(std::size_t n, unsigned threads, Work&& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  auto run = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < n;) {
      try {
        work(i);
      } catch (...) {
        std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next = n;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned t = 1; t < threads && t < n; ++t) pool.emplace_back(run);
    run();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace polyloom::fabric
