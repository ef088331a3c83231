// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a buffer lie in the memory channels of a node.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace polyloom::collective {

/// A run of a buffer that lies contiguously in one channel. `base` is a multiple of kBeatBytes.
struct Piece {
  std::uint64_t offset = 0, bytes = 0;
  unsigned channel = 0;
  std::uint64_t base = 0;
  bool operator==(const Piece&) const = default;
};

/// Pieces in ascending offset, without gaps, none empty. Value type.
struct Layout {
  std::uint64_t bytes = 0;
  std::vector<Piece> pieces;
  bool operator==(const Layout&) const = default;

  /// Block i goes to channel (first + i) % channels, cut into `parts` beat-aligned parts each with a channel
  /// of its own: (first + i * parts + k) % channels. Bases count from 0 in each channel. Empty blocks keep
  /// their turn.
  static Layout blocks(std::span<const std::uint64_t> sizes, unsigned channels, unsigned parts = 1,
                       unsigned first = 0);
  /// Block i, cut into `parts` parts; part k lies in channel channel_of[i * parts + k].
  static Layout placed(std::span<const std::uint64_t> sizes, std::span<const unsigned> channel_of,
                       unsigned channels, unsigned parts = 1);
  /// `bytes` in `parts` nearly equal beat-aligned stripes.
  static Layout striped(std::uint64_t bytes, unsigned channels, unsigned parts);

  /// Bytes of channel c that the layout reaches to (end of its last piece, whole beats), from base 0.
  std::vector<std::uint64_t> extent(unsigned channels) const;
  /// The same pieces, each channel's moved by start[channel].
  Layout moved(std::span<const std::uint64_t> start) const;
  /// Index of the piece that holds byte `offset`.
  std::size_t find(std::uint64_t offset) const;
};

/// `bytes` in n beat-aligned parts, nearly equal; the sizes (trailing ones may be 0).
std::vector<std::uint64_t> cut_evenly(std::uint64_t bytes, unsigned n);
std::uint64_t round_to_beats(std::uint64_t bytes);

}  // namespace polyloom::collective
