// SPDX-License-Identifier: Apache-2.0
// Vertices are worked on in blocks; only the worker that has a block writes its vertices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fabric/pool.h"

namespace polyloom::polite {

inline constexpr std::uint32_t kNativeBlock = 1024;
/// Fewer vertices are not worth waking others for.
inline constexpr std::uint32_t kFewVertices = 4 * kNativeBlock;

/// Calls body(first, last, worker) for all blocks of `count` vertices, or places of a list.
template <typename Body>
void each_block(fabric::Pool& pool, std::uint32_t count, Body&& body) {
  const auto one = [&](std::size_t block, unsigned worker) {
    const auto first = static_cast<std::uint32_t>(block * kNativeBlock);
    body(first, std::min(first + kNativeBlock, count), worker);
  };
  const std::size_t blocks = (std::size_t{count} + kNativeBlock - 1) / kNativeBlock;
  if (count > kFewVertices) {
    pool.run(blocks, one);
  } else {
    for (std::size_t block = 0; block < blocks; ++block) one(block, 0);
  }
}

}  // namespace polyloom::polite
