// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/layout.h"

#include <algorithm>
#include <stdexcept>

#include "roles/collective/arch/program.h"

namespace polyloom::collective {

std::uint64_t round_to_beats(std::uint64_t bytes) {
  return (bytes + kBeatBytes - 1) / kBeatBytes * kBeatBytes;
}

std::vector<std::uint64_t> cut_evenly(std::uint64_t bytes, unsigned n) {
  std::vector<std::uint64_t> sizes(n, 0);
  const std::uint64_t beats = round_to_beats(bytes) / kBeatBytes;
  std::uint64_t left = bytes;
  for (unsigned i = 0; i < n; ++i) {
    const std::uint64_t mine = beats / n + (i < beats % n ? 1 : 0);
    sizes[i] = std::min(left, mine * kBeatBytes);
    left -= sizes[i];
  }
  return sizes;
}

Layout Layout::blocks(std::span<const std::uint64_t> sizes, unsigned channels, unsigned parts,
                      unsigned first) {
  std::vector<unsigned> channel_of(sizes.size() * parts);
  for (std::size_t i = 0; i < channel_of.size(); ++i)
    channel_of[i] = static_cast<unsigned>((first + i) % channels);
  return placed(sizes, channel_of, channels, parts);
}

Layout Layout::placed(std::span<const std::uint64_t> sizes, std::span<const unsigned> channel_of,
                      unsigned channels, unsigned parts) {
  Layout layout;
  std::vector<std::uint64_t> next(channels, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto cut = cut_evenly(sizes[i], parts);
    for (unsigned k = 0; k < parts; ++k) {
      if (cut[k] == 0) continue;
      const unsigned channel = channel_of[i * parts + k];
      layout.pieces.push_back({layout.bytes, cut[k], channel, next[channel]});
      layout.bytes += cut[k];
      next[channel] += round_to_beats(cut[k]);
    }
  }
  return layout;
}

Layout Layout::striped(std::uint64_t bytes, unsigned channels, unsigned parts) {
  const auto sizes = cut_evenly(bytes, parts);
  return blocks(sizes, channels);
}

std::vector<std::uint64_t> Layout::extent(unsigned channels) const {
  std::vector<std::uint64_t> reach(channels, 0);
  for (const Piece& p : pieces)
    reach.at(p.channel) = std::max(reach.at(p.channel), p.base + round_to_beats(p.bytes));
  return reach;
}

Layout Layout::moved(std::span<const std::uint64_t> start) const {
  Layout result = *this;
  for (Piece& p : result.pieces) p.base += start[p.channel];
  return result;
}

std::size_t Layout::find(std::uint64_t offset) const {
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), offset,
                                      [](std::uint64_t o, const Piece& p) { return o < p.offset; });
  if (after == pieces.begin() || offset >= bytes)
    throw std::logic_error("offset outside of a buffer's layout");
  return static_cast<std::size_t>(after - pieces.begin()) - 1;
}

}  // namespace polyloom::collective
