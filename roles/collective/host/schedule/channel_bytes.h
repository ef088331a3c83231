// SPDX-License-Identifier: Apache-2.0
// The bytes of a memory channel in this process: all of its address range at once, pages come when they are
// touched. POSIX only.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace polyloom::collective {

class ChannelBytes {
 public:
  explicit ChannelBytes(std::uint64_t bytes) : size_(bytes) {
    void* at =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::uint8_t*>(at);
  }
  ~ChannelBytes() {
    if (data_) ::munmap(data_, size_);
  }
  ChannelBytes(ChannelBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  ChannelBytes(const ChannelBytes&) = delete;
  ChannelBytes& operator=(const ChannelBytes&) = delete;
  ChannelBytes& operator=(ChannelBytes&&) = delete;

  std::uint8_t* data() { return data_; }
  std::uint64_t size() const { return size_; }
  operator std::span<std::uint8_t>() { return {data_, size_}; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_;
};

}  // namespace polyloom::collective
