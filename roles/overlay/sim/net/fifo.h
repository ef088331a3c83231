// SPDX-License-Identifier: Apache-2.0
// A queue of small values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace polyloom::overlay {

/// A ring that grows by doubling and never shrinks. It starts over when it runs empty, so that a queue that
/// is mostly short stays in few cache lines of the host. Not thread safe.
template <class T>
class Fifo {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  /// Precondition of front() and pop(): not empty.
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }

  void push(const T& item) {
    if (count_ == items_.size()) grow();
    at(count_++) = item;
  }
  void pop() { head_ = --count_ == 0 ? 0 : static_cast<std::uint32_t>((head_ + 1) & (items_.size() - 1)); }

  /// Keeps a queue of items with a cycle `at` in order of their cycles, and of pushing where those are equal.
  /// Nearly all come in order. Gives whether the item is the first now.
  bool push_in_order(const T& item) {
    push(item);
    std::uint32_t i = count_ - 1;
    for (; i > 0 && at(i - 1).at > at(i).at; --i) std::swap(at(i - 1), at(i));
    return i == 0;
  }

 private:
  T& at(std::uint32_t i) { return items_[(head_ + i) & (items_.size() - 1)]; }
  void grow() {
    std::vector<T> larger(items_.empty() ? 8 : 2 * items_.size());
    for (std::uint32_t i = 0; i < count_; ++i) larger[i] = at(i);
    items_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> items_;  ///< as many as a power of two
  std::uint32_t head_ = 0, count_ = 0;
};

}  // namespace polyloom::overlay
