// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, unpacked if it is packed: by what the file holds, whatever its name is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "polite/readers/packing.h"

namespace polyloom::polite {

/// Not thread safe. Input: an open descriptor; output: its bytes, or those of all streams of a packing in it,
/// one after the other. Nothing is taken for the file's end but its end: what stands between and behind the
/// streams is padding where the packing has some, a skippable frame of zstd and lz4, or an error.
class Unpacked {
 public:
  /// Takes the descriptor and closes it.
  explicit Unpacked(int descriptor);
  ~Unpacked();
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  /// Up to n bytes; fewer only at the end, or where error() says what is wrong.
  std::size_t read(char* to, std::size_t n);
  /// Up to n bytes of the file from `offset` on, whatever read() does; fewer where it ends, or cannot be read.
  std::size_t read_at(char* to, std::size_t n, std::uint64_t offset) const;
  /// Reads on from there. Of a file that can be sought and is not packed.
  void go_to(std::uint64_t offset);
  /// Null for a file that is not packed.
  const Packing* packing() const { return packing_; }
  /// Of the file, read so far.
  std::uint64_t file_bytes() const { return file_bytes_ - left_; }
  const std::string& error() const { return error_; }

 private:
  /// Has at least n bytes of the file in the buffer, or all that are left; false if these are fewer.
  bool have(std::size_t n);
  void take(std::size_t n) {
    at_ += n;
    left_ -= n;
  }
  const unsigned char* next() const { return buffer_.data() + at_; }
  void begin_stream();
  void skip_frame(std::string_view head);
  void truncated();
  void fail(const std::string& what);
  std::size_t copy_into(char* to, std::size_t n);
  std::size_t unpack_into(char* to, std::size_t n);

  int descriptor_;
  std::vector<unsigned char> buffer_ = std::vector<unsigned char>(1 << 18);
  std::size_t at_ = 0, left_ = 0;  ///< of the buffer: what is not yet consumed
  const Packing* packing_ = nullptr;
  std::unique_ptr<Decoder> stream_;  ///< that is being unpacked; none between two
  bool skipped_ = false, ended_ = false;
  std::uint64_t file_bytes_ = 0;
  std::string error_;
};

}  // namespace polyloom::polite
