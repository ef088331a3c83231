// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/memory_image.h"

#include <algorithm>

namespace polyloom::overlay {
namespace {

constexpr std::uint64_t kGap = 64;  ///< of so many bytes, zeros are written rather than another image begun

std::uint64_t end_of(const MemoryImage& image) { return std::uint64_t{image.address} + image.bytes.size(); }

}  // namespace

std::vector<MemoryImage> whole_words(std::vector<MemoryImage> pieces) {
  std::erase_if(pieces, [](const MemoryImage& piece) { return piece.bytes.empty(); });
  std::vector<const MemoryImage*> ordered;
  for (const MemoryImage& piece : pieces) ordered.push_back(&piece);
  std::ranges::sort(ordered, {}, &MemoryImage::address);
  std::vector<MemoryImage> images;
  for (const MemoryImage* piece : ordered) {
    if (images.empty() || piece->address >= end_of(images.back()) + kGap) {
      images.push_back({piece->address & ~3u, {}});
    }
    MemoryImage& image = images.back();
    const std::uint64_t end = std::max(end_of(image), (end_of(*piece) + 3) & ~std::uint64_t{3});
    image.bytes.resize(end - image.address, 0);
  }
  for (const MemoryImage& piece : pieces) {
    MemoryImage& image =
        *std::prev(std::ranges::upper_bound(images, piece.address, {}, &MemoryImage::address));
    std::ranges::copy(piece.bytes, image.bytes.begin() + (piece.address - image.address));
  }
  return images;
}

}  // namespace polyloom::overlay
