// SPDX-License-Identifier: Apache-2.0
// The load of the Tinsel paper's memory benchmark (section V, Fig. 9) on one slice: 512 threads behind 8 data
// caches, each thread incrementing its own array. A thread that reaches a new line evicts a dirty one (a
// write) and reads the new one, then computes. Each cache has at most 32 misses under way. Used by the
// calibration test and the bench.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "blocks/memory/sim/memory_bus.h"

namespace polyloom::blocks {

struct IncrementLoad {
  unsigned line_bytes = 32;
  unsigned caches = 8, threads_per_cache = 64;
  unsigned max_misses = 32;
  unsigned cache_lines =
      32;  ///< lines of a thread's partition: distance from the read line to the evicted one
  /// Time from a line's arrival to the next miss when memory is not the limit: 8 words of about 5
  /// instructions, one instruction a 16-cycle turn, for 32-byte lines; the spread is the other threads'
  /// doing.
  unsigned think_per_word = 64, think_spread = 256;
  bool interleaved =
      false;  ///< line k of thread p at (k * 512 + p) lines (the heap's view), else at p * 2 MiB
};

/// Drives `channels` (Dram or Sram; caches are divided evenly over them) for `cycles` cycles after `warm_up`
/// and returns bytes read and written a second. All channels share `bus`.
template <class Channel>
double run_increment(const IncrementLoad& load, const std::vector<Channel*>& channels, MemoryBus& bus,
                     std::uint64_t core_hz, Cycle warm_up, Cycle cycles) {
  struct Request {
    std::uint64_t addr;
    bool write;
    std::uint32_t thread;
  };
  struct Thread {
    std::uint64_t line;
    Cycle ready;
  };
  constexpr std::uint32_t kWrite = 1u << 31;
  const unsigned threads = load.caches * load.threads_per_cache;
  std::mt19937 rng(1);
  std::vector<Thread> state(threads);
  for (auto& t : state) t = {load.cache_lines, rng() % 1024};
  std::vector<std::deque<Request>> queues(load.caches);
  std::vector<unsigned> misses(load.caches, 0);
  const auto address = [&](unsigned p, std::uint64_t line) {
    const std::uint64_t lines_of_slice = load.interleaved ? line * threads + p : 0;
    return load.interleaved ? lines_of_slice * load.line_bytes
                            : (std::uint64_t{p} << 21) + (line * load.line_bytes & ((1u << 21) - 1));
  };
  std::uint64_t served = 0;
  const unsigned words = load.line_bytes / 4;
  unsigned turn = 0;
  for (Cycle c = 0; c < warm_up + cycles; ++c) {
    for (unsigned cache = 0; cache < load.caches; ++cache) {
      // One lookup a cycle: the first thread that is ready, in rotating order.
      if (misses[cache] >= load.max_misses) continue;
      for (unsigned i = 0; i < load.threads_per_cache; ++i) {
        const unsigned p = cache * load.threads_per_cache + (i + c) % load.threads_per_cache;
        Thread& t = state[p];
        if (t.ready > c) continue;
        queues[cache].push_back({address(p, t.line - load.cache_lines), true, p});
        queues[cache].push_back({address(p, t.line), false, p});
        ++t.line;
        t.ready = kNeverCycle;
        ++misses[cache];
        break;
      }
    }
    for (unsigned i = 0; i < load.caches; ++i) {
      const unsigned cache = (turn + i) % load.caches;
      if (queues[cache].empty() || !bus.free(c)) continue;
      const Request r = queues[cache].front();
      Channel& channel = *channels[cache * channels.size() / load.caches];
      if (!channel.submit(c, r.addr, r.write, r.thread | (r.write ? kWrite : 0))) continue;
      queues[cache].pop_front();
      turn = r.write ? cache : cache + 1;  // a miss's write and read stay together
      break;
    }
    if (c % 8 != 7) continue;
    for (Channel* channel : channels) {
      channel->advance(c + 1, [&](std::uint32_t id, Cycle at) {
        if (at >= warm_up) ++served;
        if (id & kWrite) return;
        state[id].ready = std::max(at, c + 1) + load.think_per_word * words + rng() % load.think_spread;
        --misses[id / load.threads_per_cache];
      });
    }
  }
  return static_cast<double>(served * load.line_bytes) * static_cast<double>(core_hz) /
         static_cast<double>(cycles);
}

}  // namespace polyloom::blocks
