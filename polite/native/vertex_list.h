// SPDX-License-Identifier: Apache-2.0
// Sets of vertices that workers fill together.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "polite/graph/huge_pages.h"

namespace polyloom::polite {

/// A list of vertices, each at most once, in no order. Workers add what they have gathered by the hundreds.
class VertexList {
 public:
  explicit VertexList(std::uint32_t vertices) : vertex_(vertices) {}

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  bool empty() const { return size() == 0; }
  std::uint32_t operator[](std::size_t i) const { return vertex_[i]; }
  void clear() { size_ = 0; }
  void swap(VertexList& other) {
    vertex_.swap(other.vertex_);
    const std::size_t size = size_;
    size_ = other.size_.load();
    other.size_ = size;
  }
  void add(std::span<const std::uint32_t> vertices) {
    if (vertices.empty()) return;
    const std::size_t at = size_.fetch_add(vertices.size(), std::memory_order_relaxed);
    std::memcpy(vertex_.data() + at, vertices.data(), vertices.size_bytes());
  }

 private:
  HugeVector<std::uint32_t> vertex_;
  std::atomic<std::size_t> size_{0};
};

/// One worker's part of a list that it fills.
class VertexBuffer {
 public:
  void add(std::uint32_t v, VertexList& list) {
    if (count_ == kMost) flush(list);
    vertex_[count_++] = v;
  }
  void flush(VertexList& list) {
    list.add({vertex_, count_});
    count_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 512;
  std::uint32_t vertex_[kMost];
  std::size_t count_ = 0;
};

/// A bit a vertex.
class VertexBits {
 public:
  explicit VertexBits(std::uint32_t vertices) : word_(vertices / 64 + std::size_t{1}, 0) {}

  bool test(std::uint32_t v) const {
    return (std::atomic_ref(word_[v / 64]).load(std::memory_order_relaxed) >> (v % 64) & 1) != 0;
  }
  void set(std::uint32_t v) {
    std::atomic_ref(word_[v / 64]).fetch_or(std::uint64_t{1} << (v % 64), std::memory_order_relaxed);
  }
  /// For who alone writes bits of these 64 vertices now.
  void set_alone(std::uint32_t v) {
    const std::atomic_ref word(word_[v / 64]);
    word.store(word.load(std::memory_order_relaxed) | std::uint64_t{1} << (v % 64),
               std::memory_order_relaxed);
  }
  void clear() { std::memset(word_.data(), 0, word_.size() * sizeof word_[0]); }
  std::size_t words() const { return word_.size(); }
  std::uint64_t word(std::size_t i) const { return word_[i]; }

 private:
  mutable HugeVector<std::uint64_t> word_;
};

}  // namespace polyloom::polite
