// SPDX-License-Identifier: Apache-2.0
// Big arrays on huge pages: random look-ups in tens of megabytes would else spend their time on translations.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace polyloom::polite {

/// Memory for so many bytes, from the kernel itself if it is as large as a huge page: what malloc hands out has
/// mostly been used before, in small pages, which stay small. Huge pages are a hint, granted where
/// /sys/kernel/mm/transparent_hugepage/enabled says "madvise" or "always". Throws std::bad_alloc.
inline void* allocate_huge(std::size_t bytes) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  if (bytes < kPage) {
    void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void* const mapped =
      mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  // It begins with a page: what is before and behind goes back.
  const auto at = reinterpret_cast<std::uintptr_t>(mapped), first = (at + kPage - 1) / kPage * kPage;
  if (first != at) munmap(mapped, first - at);
  if (const std::size_t rest = at + kPage - first; rest != 0)
    munmap(reinterpret_cast<void*>(first + bytes), rest);
  void* const memory = reinterpret_cast<void*>(first);
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}
inline void free_huge(void* memory, std::size_t bytes) {
  if (bytes < std::size_t{1} << 21) {
    std::free(memory);
  } else {
    munmap(memory, bytes);
  }
}

template <typename T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_huge(bytes_of(n))); }
  void deallocate(T* memory, std::size_t n) { free_huge(memory, bytes_of(n)); }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }

 private:
  /// Whole pages of 4096 bytes, as munmap takes them.
  static std::size_t bytes_of(std::size_t n) { return (n * sizeof(T) + 4095) / 4096 * 4096; }
};

template <typename T>
using HugeVector = std::vector<T, HugePages<T>>;

/// An array whose elements have no values until they are written: the threads that fill it are the first to
/// touch its pages, and no memory is written twice.
template <typename T>
class HugeArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HugeArray() = default;
  explicit HugeArray(std::size_t n)
      : data_(n == 0 ? nullptr : HugePages<T>().allocate(n), Free{n}), size_(n) {}
  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() const { return {data(), size_}; }

 private:
  struct Free {
    std::size_t size = 0;
    void operator()(T* memory) const { HugePages<T>().deallocate(memory, size); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace polyloom::polite
