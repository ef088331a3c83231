// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, unpacked if it is gzip. Unlike zlib's gzread it takes nothing for the file's end but
// its end.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace polyloom::polite {

/// Not thread safe. Input: an open descriptor; output: its bytes, or those of all gzip members in it (RFC
/// 1952). Zeros behind the last member are padding, as gzip takes them.
class Unpacked {
 public:
  /// Takes the descriptor and closes it.
  explicit Unpacked(int descriptor);
  ~Unpacked();
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  /// Up to n bytes; fewer only at the end, or where error() says what is wrong.
  std::size_t read(char* to, std::size_t n);
  bool packed() const { return packed_; }
  /// Of the file, read so far.
  std::uint64_t file_bytes() const { return file_bytes_ - stream_.avail_in; }
  const std::string& error() const { return error_; }

 private:
  /// Reads on if all that was read is consumed; false at the end of the file.
  bool refill();
  std::size_t inflate_into(char* to, std::size_t n);
  void begin_member();

  int descriptor_;
  std::vector<unsigned char> buffer_ = std::vector<unsigned char>(1 << 18);
  z_stream stream_{};  ///< what is left of the buffer, also of a plain file
  bool packed_ = false, inside_ = false, ended_ = false;
  std::uint64_t file_bytes_ = 0;
  std::string error_;
};

}  // namespace polyloom::polite
