// SPDX-License-Identifier: Apache-2.0
#include "nbody/parallel/pool.h"

#include <algorithm>

namespace polyloom::nbody {

Pool::Pool(unsigned workers) {
  if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned w = 1; w < workers; ++w) helpers_.emplace_back([this, w] { help(w); });
}

Pool::~Pool() {
  quit_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Pool::run_blocks(std::size_t blocks, Call call, void* context) {
  if (blocks <= 1 || helpers_.empty()) {
    for (std::size_t b = 0; b < blocks; ++b) call(context, b, 0);
    return;
  }
  blocks_ = blocks;
  call_ = call;
  context_ = context;
  failure_ = nullptr;
  next_ = 0;
  busy_ = static_cast<unsigned>(helpers_.size());
  ++round_;
  round_.notify_all();
  work(0);
  for (unsigned left = busy_; left != 0; left = busy_) busy_.wait(left);
  if (failure_) std::rethrow_exception(failure_);
}

void Pool::help(unsigned worker) {
  for (std::uint32_t seen = 0;;) {
    round_.wait(seen);
    if (quit_) return;
    seen = round_;  // no round starts before this one has ended, so it is the one that woke us
    work(worker);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void Pool::work(unsigned worker) {
  try {
    for (std::size_t block; (block = next_++) < blocks_;) call_(context_, block, worker);
  } catch (...) {
    const std::lock_guard lock(failing_);
    if (!failure_) failure_ = std::current_exception();
    next_ = blocks_;
  }
}

}  // namespace polyloom::nbody
