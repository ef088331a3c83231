// SPDX-License-Identifier: Apache-2.0
// Lines of a file, plain or packed, with position for error messages.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "polite/read_graph.h"
#include "polite/readers/unpacked.h"

namespace polyloom::polite {

/// Invariant: [at_, end_) of buffer_ is what has been read and not yet given out. Not thread safe. Long files
/// are read and unpacked by a thread of their own, one block ahead.
class TextSource {
 public:
  using Progress = std::function<void(std::uint64_t, std::uint64_t)>;
  /// Opens a file, or standard input for kStandardInput. Throws UserError.
  /// Messages name it as it is `called`, if that is given.
  explicit TextSource(const std::string& file, Progress progress = {}, const std::string& called = {});
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// Next line without its end ("\n" or "\r\n"); valid until the next call. False at the end. Throws
  /// UserError if the file cannot be read to its end (a truncated or damaged packing), or a line
  /// holds a byte 0.
  bool next(std::string_view& line) {
    for (;;) {
      const char* const start = buffer_.data() + at_;
      const auto* const newline = static_cast<const char*>(__builtin_memchr(start, '\n', end_ - at_));
      if (newline == nullptr) {
        if (fill()) continue;
        if (at_ == end_) return false;
        line = {start, end_ - at_};
        at_ = end_;
      } else {
        line = {start, static_cast<std::size_t>(newline - start)};
        at_ += line.size() + 1;
      }
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      ++line_;
      if (__builtin_memchr(line.data(), 0, line.size()) != nullptr) [[unlikely]]
        fail("holds a byte 0, so this is no line of text; is it another file, or damaged?");
      return true;
    }
  }
  /// What the text begins with, 64 KiB of it or all: to be called before the first line is taken, and valid
  /// until then.
  std::string_view head();
  /// Up to n bytes that follow, for binary parts.
  std::size_t read(char* to, std::size_t n);

  /// Whether read_at() and pass() can be called: of a file that can be sought and is not packed.
  bool can_seek() const { return named_ && packing().empty(); }
  /// Where in the file the next line begins.
  std::uint64_t offset() const { return taken_ - (end_ - at_); }
  /// Bytes of the file from `offset` on; fewer only where it ends or cannot be read. From any thread.
  std::size_t read_at(char* to, std::size_t n, std::uint64_t offset) const {
    return bytes_->read_at(to, n, offset);
  }
  /// Passes over `lines` lines; the next begins at `offset`.
  void pass(std::uint64_t offset, std::uint64_t lines);

  /// Reads a packed file on to its end. Throws UserError if it is damaged or truncated.
  void require_undamaged();

  std::uint64_t line() const { return line_; }
  const std::string& file() const { return file_; }
  /// What the file is packed with; empty if it is not.
  std::string_view packing() const;
  /// Bytes of the file (compressed); 0 of a pipe.
  std::uint64_t file_bytes() const { return size_; }
  /// Bytes of text that it can hold at most: its own, more if packed, without bound if that is not known.
  std::uint64_t most_text() const { return most_text_; }
  /// Throws UserError "FILE:LINE: what".
  [[noreturn]] void fail(const std::string& what) const;
  /// The same at a line that lies behind.
  [[noreturn]] void fail_at(std::uint64_t line, const std::string& what) const;
  /// Throws UserError "FILE: what".
  [[noreturn]] void fail_file(const std::string& what) const;

 private:
  /// What one read of the file gave.
  struct Block {
    std::vector<char> bytes;
    std::size_t size = 0;
    bool last = false;
    std::string error;
    std::uint64_t file_bytes = 0;  ///< consumed so far
  };
  bool fill();
  void read_block(Block& block, std::size_t bytes);

  std::string file_;
  Progress progress_;
  std::unique_ptr<Unpacked> bytes_;
  Block ahead_;                                      ///< being read while lines of buffer_ are given out
  std::future<void> reading_;                        ///< valid while it is
  std::vector<char> buffer_ = std::vector<char>(1);  // never without data()
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t taken_ = 0;  ///< bytes of text that buffer_ has got
  std::uint64_t line_ = 0, size_ = 0, most_text_ = ~std::uint64_t{0};
  bool begun_ = false, ended_ = false;
  bool named_ = false;  ///< a regular file, from its first byte on
};

}  // namespace polyloom::polite
