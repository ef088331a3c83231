// SPDX-License-Identifier: Apache-2.0
// Bytes for an address, and how pieces of a program become the whole words in which memories are written.
#pragma once

#include <cstdint>
#include <vector>

namespace polyloom::overlay {

struct MemoryImage {
  std::uint32_t address = 0;
  std::vector<std::uint8_t> bytes;
  bool operator==(const MemoryImage&) const = default;
};

/// The pieces, in any order and at any byte, as images of whole words in the order of their addresses, of
/// which no two share a word: what one piece leaves of a word, another may fill. Bytes that no piece has are
/// 0. Pieces that lie a few bytes apart (alignment) become one image. Of pieces that overlap, the later one
/// counts.
std::vector<MemoryImage> whole_words(std::vector<MemoryImage> pieces);

}  // namespace polyloom::overlay
