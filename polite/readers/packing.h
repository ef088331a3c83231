// SPDX-License-Identifier: Apache-2.0
// The ways in which files are packed, each by the library of its format. Sources: RFC 1952 (gzip), RFC 8878
// (zstd), "The .xz File Format", "LZ4 Frame Format Description", the manual of libbz2.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace polyloom::polite {

/// Unpacks one stream (gzip: member; zstd, lz4: frame) from its first byte to its last.
class Decoder {
 public:
  struct Bytes {
    const unsigned char* from;
    std::size_t left;
    unsigned char* to;
    std::size_t room;
  };
  enum class Step { kMore, kEnd, kDamaged };
  virtual ~Decoder() = default;
  /// Moves `bytes` on by what it consumes and makes.
  virtual Step step(Bytes& bytes) = 0;
};

struct Packing {
  std::string_view name;
  std::string_view ending;  ///< of file names
  std::string_view magic;   ///< what a stream begins with
  std::size_t padding;      ///< zeros may stand behind a stream in multiples of so many; 0: none may
  bool skippable;           ///< skippable frames may stand before, between and behind streams
  std::unique_ptr<Decoder> (*decoder)();
};

std::span<const Packing> packings();

}  // namespace polyloom::polite
