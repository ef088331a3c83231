// SPDX-License-Identifier: Apache-2.0
#include "fabric/team.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "fabric/processes.h"

namespace polyloom::fabric {
namespace {

/// Longest spin before a waiting thread sleeps: some of the longest usual windows (two full boards: 100 us),
/// so that unequal shares of work do not cost a wake-up each window.
constexpr auto kSpin = std::chrono::microseconds(500);

/// Shares for each thread: few, for each costs the window a claim; several, for work evens out between them.
constexpr int kSharesPerThread = 4;

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until `value` is no longer `old`, spinning first if asked to.
void wait_change(const std::atomic<std::uint32_t>& value, std::uint32_t old, bool spin) {
  if (spin) {
    const auto give_up = std::chrono::steady_clock::now() + kSpin;
    do {
      for (int i = 0; i < 64; ++i) {
        if (value.load(std::memory_order_acquire) != old) return;
        relax();
      }
    } while (std::chrono::steady_clock::now() < give_up);
  } else {
    for (int i = 0; i < 4; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      ::sched_yield();
    }
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace

std::vector<int> balance(const std::vector<double>& weights, int parts) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });
  std::vector<double> load(static_cast<std::size_t>(parts), 0.0);
  std::vector<int> part(weights.size(), 0);
  for (const std::size_t i : order) {
    const auto lightest = std::min_element(load.begin(), load.end());
    *lightest += weights[i];
    part[i] = static_cast<int>(lightest - load.begin());
  }
  return part;
}

Team::Team(Fabric& fabric, unsigned threads)
    : fabric_(fabric), places_(static_cast<std::size_t>(fabric.node_count())) {
  int mine = 0;
  for (int id = 0; id < fabric.node_count(); ++id) {
    if (!fabric.owns(id)) continue;
    if (fabric.node(id) == nullptr) throw std::logic_error("node " + fabric.node_name(id) + " was not set");
    ++mine;
  }
  const int count = std::clamp(static_cast<int>(threads), 1, std::max(1, mine));
  threads_ = static_cast<std::size_t>(count);
  divide(count == 1 ? 1 : std::min(mine, kSharesPerThread * count));
  spin_ = static_cast<unsigned>(count) * processes_on_machine <= usable_processors();
  for (std::size_t t = 1; t < threads_; ++t) helpers_.emplace_back([this, t] { help(t); });
}

void Team::divide(int shares) {
  for (int s = 0; s < shares; ++s) {
    workers_.push_back(std::make_unique<Worker>(s));
    shares_.push_back(std::make_unique<Share>());
  }
  std::vector<std::vector<Link*>> in(places_.size());
  for (int l = 0; l < fabric_.link_count(); ++l) {
    in[static_cast<std::size_t>(fabric_.link(l).to())].push_back(&fabric_.link(l));
  }
  std::vector<int> mine;
  std::vector<double> weights;
  for (int id = 0; id < fabric_.node_count(); ++id) {
    if (!fabric_.owns(id)) continue;
    mine.push_back(id);
    weights.push_back(fabric_.node_hints(id).weight);
  }
  const std::vector<int> parts = balance(weights, shares);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto id = static_cast<std::size_t>(mine[i]);
    Worker& worker = *workers_[static_cast<std::size_t>(parts[i])];
    places_[id] = {parts[i], static_cast<int>(worker.size())};
    worker.add(mine[i], *fabric_.node(mine[i]), std::move(in[id]));
  }
  for (int l = 0; l < fabric_.link_count(); ++l) {
    const Place from = places_[static_cast<std::size_t>(fabric_.link(l).from())];
    if (from.worker >= 0) fabric_.link(l).attach(&workers_[static_cast<std::size_t>(from.worker)]->context());
  }
}

Team::~Team() {
  quit_ = true;
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
  for (int l = 0; l < fabric_.link_count(); ++l) fabric_.link(l).attach(nullptr);
}

void Team::help(std::size_t thread) {
  for (std::uint32_t epoch = 0;;) {
    wait_change(epoch_, epoch, spin_);
    epoch = epoch_.load(std::memory_order_acquire);
    if (quit_) return;
    work(thread, epoch);
  }
}

void Team::work(std::size_t thread, std::uint32_t epoch) {
  for (std::size_t s = thread; s < shares_.size(); s += threads_) try_share(s, epoch);
  for (std::size_t s = shares_.size(); s-- != 0;) {
    if (s % threads_ != thread) try_share(s, epoch);
  }
}

void Team::try_share(std::size_t index, std::uint32_t epoch) {
  Share& share = *shares_[index];
  // A thread that comes late, when the epoch is over, finds each share claimed for it or for a later one.
  std::uint32_t before = epoch - 1;
  if (share.claimed.load(std::memory_order_relaxed) != before) return;
  if (!share.claimed.compare_exchange_strong(before, epoch, std::memory_order_acq_rel)) return;
  share.outcome = workers_[index]->step(window_, workers_, places_);
  share.done.store(epoch, std::memory_order_release);
  share.done.notify_one();
}

Outcome Team::prepare(Time now) {
  Outcome outcome;
  for (const auto& worker : workers_) outcome.merge(worker->prepare(now));
  return outcome;
}

Outcome Team::step(const Window& window) {
  if (helpers_.empty()) return workers_[0]->step(window, workers_, places_);
  window_ = window;
  const std::uint32_t epoch = epoch_.fetch_add(1, std::memory_order_release) + 1;
  epoch_.notify_all();
  work(0, epoch);
  Outcome outcome;
  for (const auto& share : shares_) {
    wait_change(share->done, epoch - 1, spin_);
    outcome.merge(share->outcome);
  }
  return outcome;
}

Outcome Team::finish(const Window& last, Time end) {
  Outcome outcome;
  for (const auto& worker : workers_) worker->receive(last.parity(), workers_, places_);
  for (const auto& worker : workers_) {
    worker->context().filled[last.parity()].clear();
    outcome.merge(worker->catch_up(end));
  }
  return outcome;
}

}  // namespace polyloom::fabric
