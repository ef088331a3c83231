// SPDX-License-Identifier: Apache-2.0
#include "fabric/pool.h"

#include <algorithm>
#include <cstdlib>
#include <exception>

namespace polyloom::fabric {
namespace {

unsigned default_threads() {
  if (const char* text = std::getenv("POLYLOOM_THREADS"); text != nullptr && std::atoi(text) > 0) {
    return static_cast<unsigned>(std::atoi(text));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Pool::Pool(unsigned threads, int looks) : looks_(looks) {
  if (threads == 0) threads = default_threads();
  for (unsigned worker = 1; worker < threads; ++worker)
    threads_.emplace_back([this, worker] { serve(worker); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    round_.fetch_add(kRound, std::memory_order_release);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pool::start(std::size_t blocks, Call call, void* context) {
  blocks_ = blocks;
  call_ = call;
  context_ = context;
  failure_ = nullptr;
  next_.store(0, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    round_.store((round_.load(std::memory_order_relaxed) / kRound + 1) * kRound, std::memory_order_release);
  }
  wake_.notify_all();
  work(0);
  round_.fetch_or(kOver, std::memory_order_acq_rel);
  for (int spins = 0; round_.load(std::memory_order_acquire) % kOver != 0; ++spins) {
    if (spins < looks_) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
  if (failure_) std::rethrow_exception(failure_);
}

void Pool::serve(unsigned worker) {
  std::uint64_t seen = 0;
  const auto is_new = [&] { return round_.load(std::memory_order_acquire) / kRound != seen; };
  for (;;) {
    for (int spins = 0; spins < looks_ && !is_new(); ++spins) relax();
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, is_new);
      if (ending_) return;
    }
    std::uint64_t round = round_.load(std::memory_order_relaxed);
    while ((round & kOver) == 0 &&
           !round_.compare_exchange_weak(round, round + 1, std::memory_order_acq_rel)) {
    }
    seen = round / kRound;
    if ((round & kOver) != 0) continue;
    work(worker);
    round_.fetch_sub(1, std::memory_order_release);
  }
}

void Pool::work(unsigned worker) {
  try {
    for (;;) {
      const std::size_t block = next_.fetch_add(1, std::memory_order_relaxed);
      if (block >= blocks_) return;
      call_(context_, block, worker);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_.store(blocks_, std::memory_order_relaxed);
  }
}

}  // namespace polyloom::fabric
