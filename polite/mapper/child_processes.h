// SPDX-License-Identifier: Apache-2.0
// A parallel loop over processes, for work that must not share the C library's state with anything (METIS
// draws from rand(), so threads would make its results depend on scheduling).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace polyloom::polite {

/// Memory that children and parent share.
class SharedWords {
 public:
  explicit SharedWords(std::size_t n);
  ~SharedWords();
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;
  std::uint32_t& operator[](std::size_t i) { return words_[i]; }
  std::span<std::uint32_t> span() { return {words_, size_}; }

 private:
  std::uint32_t* words_;
  std::size_t size_;
};

/// Calls work(i) for i in [0, n) in `processes` children; what it stores counts only in SharedWords. Where a
/// child ends badly (a crash inside METIS), otherwise(i) is called here for the pieces that it left.
void child_processes(std::size_t n, unsigned processes, const std::function<void(std::size_t)>& work,
                     const std::function<void(std::size_t)>& otherwise);

}  // namespace polyloom::polite
