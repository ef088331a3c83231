// SPDX-License-Identifier: Apache-2.0
// Big arrays on huge pages: random look-ups in tens of megabytes would else spend their time on translations.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace polyloom::polite {

/// An allocator that asks the kernel for huge pages (a hint, granted where it says "madvise" or "always" in
/// /sys/kernel/mm/transparent_hugepage/enabled).
template <typename T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t n) {
    constexpr std::size_t kPage = std::size_t{1} << 21;
    const std::size_t bytes = n * sizeof(T);
    const std::size_t align = bytes < kPage ? 64 : kPage;
    const std::size_t size = (bytes + align - 1) / align * align;
    void* memory = std::aligned_alloc(align, size);
    if (memory == nullptr) throw std::bad_alloc();
    if (align == kPage) madvise(memory, size, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }
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
  explicit HugeArray(std::size_t n) : data_(n == 0 ? nullptr : HugePages<T>().allocate(n)), size_(n) {}
  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace polyloom::polite
