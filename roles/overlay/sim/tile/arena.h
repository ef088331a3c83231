// SPDX-License-Identifier: Apache-2.0
// Memory for what a board's tiles and memories hold: together, so that it lies on few huge pages of the host.
// A simulator jumps between a thousand threads, and would else spend a third of its time on address
// translations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace polyloom::overlay {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  static constexpr std::size_t kAlignment = 256;
  /// `bytes` zeroed bytes at a multiple of kAlignment, until the arena is gone. Throws std::bad_alloc.
  void* take(std::size_t bytes);
  template <class T>
  std::span<T> take_array(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    return {static_cast<T*>(take(n * sizeof(T))), n};
  }

 private:
  struct Chunk {
    void* start;
    std::size_t bytes;
  };
  std::vector<Chunk> chunks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace polyloom::overlay
