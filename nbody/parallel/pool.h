// SPDX-License-Identifier: Apache-2.0
// Threads that work through numbered blocks together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace polyloom::nbody {

/// Between calls of run() all helpers sleep. One thread at a time may call run(). Which worker does which
/// block is not fixed, so a body's result may depend on its block only.
class Pool {
 public:
  /// `workers` threads, the caller of run() included; 0: one a processor.
  explicit Pool(unsigned workers = 0);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  unsigned workers() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  /// Calls body(block, worker) for each block 0 .. blocks - 1 and returns when all are done. The first
  /// exception of a body ends the run early and is thrown again here.
  template <typename Body>
  void run(std::size_t blocks, Body&& body) {
    const auto call = [](void* context, std::size_t block, unsigned worker) {
      (*static_cast<std::remove_reference_t<Body>*>(context))(block, worker);
    };
    run_blocks(blocks, call, const_cast<void*>(static_cast<const void*>(&body)));
  }

 private:
  using Call = void (*)(void* context, std::size_t block, unsigned worker);
  void run_blocks(std::size_t blocks, Call call, void* context);
  void help(unsigned worker);
  void work(unsigned worker);

  std::vector<std::thread> helpers_;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<unsigned> busy_{0};
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> quit_{false};
  std::size_t blocks_ = 0;
  Call call_ = nullptr;
  void* context_ = nullptr;
  std::mutex failing_;
  std::exception_ptr failure_;
};

}  // namespace polyloom::nbody
