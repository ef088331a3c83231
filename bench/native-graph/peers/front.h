// SPDX-License-Identifier: Apache-2.0
// The front of a breadth-first search: as a queue to push from, as a bitmap to pull from.
#pragma once

#include "bench/native-graph/peers/csr.h"

namespace polyloom::bench::peers {

class Bitmap {
 public:
  explicit Bitmap(std::size_t bits) : words_((bits + 63) / 64, 0) {}
  void clear() { std::fill(words_.data(), words_.data() + words_.size(), 0); }
  void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << bit % 64; }
  void set_shared(std::size_t bit) {
    __atomic_fetch_or(&words_[bit / 64], std::uint64_t{1} << bit % 64, __ATOMIC_RELAXED);
  }
  bool has(std::size_t bit) const { return words_[bit / 64] >> bit % 64 & 1; }
  void swap(Bitmap& other) noexcept { words_.swap(other.words_); }

 private:
  Array<std::uint64_t> words_;
};

/// Every vertex enters once: readers see the window, writers append behind it.
class SlidingQueue {
 public:
  explicit SlidingQueue(std::size_t capacity) : items_(capacity) {}
  void append(const Vertex* first, std::size_t count) {
    const std::size_t at = __atomic_fetch_add(&end_, count, __ATOMIC_RELAXED);
    std::copy(first, first + count, items_.data() + at);
  }
  /// What was appended becomes the window.
  void slide() {
    first_ = last_;
    last_ = end_;
  }
  bool empty() const { return first_ == last_; }
  std::size_t size() const { return last_ - first_; }
  Vertex operator[](std::size_t i) const { return items_[first_ + i]; }

 private:
  Array<Vertex> items_;
  std::size_t first_ = 0, last_ = 0, end_ = 0;
};

/// What a thread appends, many at a time.
class QueueBuffer {
 public:
  explicit QueueBuffer(SlidingQueue& queue) : queue_(queue), items_(kItems) {}
  void push(Vertex v) {
    if (count_ == kItems) flush();
    items_[count_++] = v;
  }
  void flush() {
    queue_.append(items_.data(), count_);
    count_ = 0;
  }

 private:
  static constexpr std::size_t kItems = 16384;
  SlidingQueue& queue_;
  Array<Vertex> items_;
  std::size_t count_ = 0;
};

}  // namespace polyloom::bench::peers
