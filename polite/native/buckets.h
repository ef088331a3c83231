// SPDX-License-Identifier: Apache-2.0
// Messages in about the order of their worth: who has the best to say speaks first.
//
// A vertex that speaks before it has heard the best has to speak again. So vertices that want to send wait in
// buckets by the number that they have heard, and the buckets are worked off one after the other; within one,
// the order is free (source: Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
// 2003; that a worker empties a small bucket of its own at once: Zhang and others, "Optimizing ordered graph
// algorithms with GraphIt", 2020). Where edges change nothing there is one bucket. Results do not depend on
// the order, only how often vertices speak does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "fabric/pool.h"
#include "polite/native/blocks.h"
#include "polite/native/relax_vertices.h"

namespace polyloom::polite {

template <typename Vertices>
class Buckets {
  using Value = typename Vertices::Value;
  /// Differences of whole numbers.
  using Unsigned = std::make_unsigned_t<std::conditional_t<std::is_integral_v<Value>, Value, int>>;

 public:
  Buckets(Vertices& vertices, const OutEdges& out, fabric::Pool& pool)
      : vertices_(vertices), out_(out), pool_(pool), workers_(pool.workers()) {
    for (Worker& worker : workers_) worker.bins.resize(kBins);
  }

  /// Lets all send that want to, and those whom that makes want to, until none does. False if it was stopped.
  bool settle() {
    collect();
    for (;;) {
      if (vertices_.stopping()) return false;
      if (!next_bucket()) return true;
      if (frontier_.size() < kTiny) {
        cursor_ = 0;
        work(workers_[0]);
      } else {
        cursor_ = 0;
        pool_.run(pool_.workers(), [&](std::size_t, unsigned number) { work(workers_[number]); });
      }
    }
  }

 private:
  static constexpr std::uint32_t kLast = ~0u - 1;
  /// Buckets that have a list of their own at a time; later ones share one.
  static constexpr std::uint32_t kBins = 1024;
  /// Width of a bucket, in mean lengths of an edge over the mean number of edges of a vertex.
  static constexpr double kWidth = 1;
  /// Of so many edges the mean length is taken.
  static constexpr std::uint64_t kSample = 1024;
  /// Fewer vertices are not worth waking others for.
  static constexpr std::size_t kTiny = 64;
  /// A worker empties its own list of the bucket at once if it is no longer than this.
  static constexpr std::size_t kOwnMost = 1000;
  /// How far ahead memory is asked for: of vertices, of their rows.
  static constexpr std::size_t kVerticesAhead = 12, kRowsAhead = 4;
  /// How many vertices are worked on together, and how many news they find before these are told.
  static constexpr std::size_t kTogether = 64, kNews = 512;

  struct News {
    std::uint32_t vertex;
    Value value;
  };

  struct Waiting {
    std::uint32_t vertex, bucket;
  };
  struct alignas(64) Worker {
    std::vector<std::vector<std::uint32_t>> bins;  ///< of buckets first_, first_ + 1 ...
    std::vector<Waiting> later;                    ///< in buckets behind
    std::vector<std::uint32_t> own;
  };

  /// Puts all that want to send into buckets.
  void collect() {
    choose_width();
    current_ = first_ = 0;
    late_ = false;
    each_block(pool_, vertices_.count(), [&](std::uint32_t first, std::uint32_t last, unsigned number) {
      for (std::uint32_t v = first; v < last; ++v) {
        if (!vertices_.wants(v)) continue;
        const Value heard = vertices_.heard(v);  // nothing: then it speaks first
        put(v, Vertices::before(heard, Vertices::worst()) ? heard : base_, workers_[number]);
      }
    });
  }
  /// Buckets count from the best that any who wants to send has heard.
  void choose_width() {
    if constexpr (Vertices::kLabelled) {
      std::vector<Value> best(pool_.workers(), Vertices::worst());
      each_block(pool_, vertices_.count(), [&](std::uint32_t first, std::uint32_t last, unsigned number) {
        for (std::uint32_t v = first; v < last; ++v) {
          if (vertices_.wants(v) && Vertices::before(vertices_.heard(v), best[number]))
            best[number] = vertices_.heard(v);
        }
      });
      base_ = best[0];
      for (const Value value : best) {
        if (Vertices::before(value, base_)) base_ = value;
      }
      const double wide = Vertices::before(base_, Vertices::worst()) ? width() : 1;
      scale_ = 1 / wide;
      shift_ = std::is_integral_v<Value> ? static_cast<unsigned>(std::log2(wide)) : 0;
    }
  }
  double width() const {
    const std::uint64_t edges = out_.target.size(), samples = std::min(edges, kSample);
    double sum = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
      const double length = distance(Vertices::along(base_, label(edges / samples * i)));
      if (std::isfinite(length)) sum += length;
    }
    if (sum == 0) return 1;
    const double mean = sum / static_cast<double>(samples);
    const double degree = static_cast<double>(edges) / vertices_.count();
    return std::max(kWidth * mean / std::max(degree, 1.0), std::is_integral_v<Value> ? 1.0 : 0.0);
  }
  /// How much worse a value is than the best.
  double distance(Value value) const {
    if (!Vertices::before(base_, value)) return 0;
    return std::abs(static_cast<double>(value) - static_cast<double>(base_));
  }
  INLINE std::uint32_t bucket_of(Value value) const {
    if constexpr (!Vertices::kLabelled) {
      return 0;
    } else if constexpr (std::is_integral_v<Value>) {
      if (!Vertices::before(base_, value)) return 0;
      const auto far = Vertices::before(1, 0) ? static_cast<Unsigned>(base_) - static_cast<Unsigned>(value)
                                              : static_cast<Unsigned>(value) - static_cast<Unsigned>(base_);
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(far >> shift_, kLast));
    } else {
      const double bucket = distance(value) * scale_;
      return bucket < kLast ? static_cast<std::uint32_t>(bucket) : kLast;
    }
  }
  const std::byte* label(std::uint64_t e) const { return out_.label + e * Vertices::kLabelBytes; }

  /// Lets v wait in the bucket of what it has heard.
  INLINE void put(std::uint32_t v, Value heard, Worker& worker) {
    std::uint32_t bucket = bucket_of(heard);
    if (bucket < current_) [[unlikely]] {
      late_.store(true, std::memory_order_relaxed);
      bucket = current_;
    }
    if (bucket - first_ < kBins) {
      worker.bins[bucket - first_].push_back(v);
    } else {
      worker.later.push_back({v, bucket});
    }
  }

  /// Makes the first bucket that is not empty the current one and lists it. False if all are.
  bool next_bucket() {
    frontier_.clear();
    for (;;) {
      for (; current_ - first_ < kBins; ++current_) {
        for (Worker& worker : workers_) {
          auto& bin = worker.bins[current_ - first_];
          frontier_.insert(frontier_.end(), bin.begin(), bin.end());
          bin.clear();
        }
        if (!frontier_.empty()) return true;
      }
      if (!bring_later()) return false;
    }
  }
  /// Moves on to the buckets that had no lists of their own.
  bool bring_later() {
    std::vector<Waiting> all;
    std::uint32_t next = kLast;
    for (Worker& worker : workers_) {
      for (const Waiting& one : worker.later) {
        // Some have heard better since, and are not behind any more.
        if (bucket_of(vertices_.heard(one.vertex)) < one.bucket && !late_) continue;
        all.push_back(one);
        next = std::min(next, one.bucket);
      }
      worker.later.clear();
    }
    if (all.empty()) return false;
    first_ = current_ = next;
    for (const Waiting& one : all) {
      if (one.bucket - first_ < kBins) {
        workers_[0].bins[one.bucket - first_].push_back(one.vertex);
      } else {
        workers_[0].later.push_back(one);
      }
    }
    return true;
  }

  void work(Worker& worker) {
    const std::size_t size = frontier_.size();
    for (std::size_t at; (at = cursor_.fetch_add(kTogether, std::memory_order_relaxed)) < size;) {
      serve({frontier_.data() + at, std::min(kTogether, size - at)}, worker);
    }
    auto& bin = worker.bins[current_ - first_];
    while (!bin.empty() && bin.size() <= kOwnMost && !vertices_.stopping()) {
      worker.own.swap(bin);
      for (std::size_t at = 0; at < worker.own.size(); at += kTogether) {
        serve({worker.own.data() + at, std::min(kTogether, worker.own.size() - at)}, worker);
      }
      worker.own.clear();
    }
  }
  /// Lets some take what they have heard and say what they have to say. Each part of that is done for all of them
  /// before the next: what excludes other workers waits for memory, and what only reads it need not wait for that.
  void serve(std::span<const std::uint32_t> some, Worker& worker) {
    News senders[kTogether];
    std::size_t count = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::uint32_t ahead = some[std::min(i + kVerticesAhead, some.size() - 1)];
      vertices_.prefetch(ahead);
      __builtin_prefetch(&out_.begin[ahead]);
      const std::uint32_t v = senders[count].vertex = some[i];
      // Who has heard better meanwhile has been here in an earlier bucket.
      if (bucket_of(vertices_.heard(v)) < current_ && !late_.load(std::memory_order_relaxed)) continue;
      count += vertices_.hear_and_send(v, senders[count].value);
    }
    News news[kNews];
    std::size_t found = 0;
    const std::uint32_t* const target = out_.target.data();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t ahead = out_.begin[senders[std::min(i + kRowsAhead, count - 1)].vertex];
      __builtin_prefetch(target + ahead);
      if (Vertices::kLabelled) __builtin_prefetch(label(ahead));
      const auto [v, value] = senders[i];
      for (std::uint64_t e = out_.begin[v], end = out_.begin[v + std::size_t{1}]; e < end;) {
        if (found + kTogether > kNews) found = tell({news, found}, worker);
        for (const std::uint64_t part = std::min<std::uint64_t>(end, e + kTogether); e < part; ++e) {
          news[found] = {target[e], Vertices::along(value, label(e))};
          found += Vertices::before(news[found].value, vertices_.heard(target[e]));
        }
      }
    }
    tell({news, found}, worker);
  }
  /// What is still news lets its receivers wait for their turn. Returns 0.
  std::size_t tell(std::span<const News> news, Worker& worker) {
    for (const News& one : news) {
      if (vertices_.improve(one.vertex, one.value)) put(one.vertex, one.value, worker);
    }
    return 0;
  }

  Vertices& vertices_;
  const OutEdges out_;
  fabric::Pool& pool_;
  std::vector<std::uint32_t> frontier_;  ///< the current bucket; a vertex may be there more than once
  std::vector<Worker> workers_;
  std::atomic<std::size_t> cursor_{0};
  std::uint32_t current_ = 0;  ///< bucket that is worked on
  std::uint32_t first_ = 0;    ///< that has the first list
  std::atomic<bool> late_{
      false};  ///< some who had heard good news could not wait in its bucket, which was over
  Value base_{};
  double scale_ = 0;    ///< buckets a unit
  unsigned shift_ = 0;  ///< of whole numbers: bits of a bucket
};

}  // namespace polyloom::polite
