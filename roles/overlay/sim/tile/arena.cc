// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace polyloom::overlay {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

}  // namespace

Arena::~Arena() {
  for (const Chunk& chunk : chunks_) munmap(chunk.start, chunk.bytes);
}

void* Arena::take(std::size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > left_) {
    // The kernel gives zeroed pages when they are touched. Twice a huge page is asked for, to find one
    // aligned.
    const std::size_t useful = (std::max(bytes, kHugePage) + kHugePage - 1) / kHugePage * kHugePage;
    const std::size_t size = useful + kHugePage;
    void* start =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    chunks_.push_back({start, size});
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    next_ = static_cast<std::byte*>(start) + ((address + kHugePage - 1) / kHugePage * kHugePage - address);
    left_ = useful;
    madvise(next_, useful, MADV_HUGEPAGE);  // a hint: without it, small pages
  }
  void* taken = next_;
  next_ += bytes;
  left_ -= bytes;
  return taken;
}

}  // namespace polyloom::overlay
