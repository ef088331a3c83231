// SPDX-License-Identifier: Apache-2.0
#include "polite/readers/text_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fabric/error.h"

namespace polyloom::polite {

namespace {

/// Small files are many, large ones long: the first block is small.
constexpr std::size_t kFirstBlock = 64 << 10;
constexpr std::size_t kReadBlock = 1 << 20;
/// What editors put before UTF-8; no part of the first line.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

TextSource::TextSource(const std::string& file, Progress progress, const std::string& called)
    : file_(!called.empty()          ? called
            : file == kStandardInput ? "standard input"
                                     : file),
      progress_(std::move(progress)) {
  const int descriptor =
      file == kStandardInput ? dup(STDIN_FILENO) : open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_file(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat info {};
  fstat(descriptor, &info);
  bytes_ = std::make_unique<Unpacked>(descriptor);
  if (S_ISDIR(info.st_mode)) fail_file("is a folder; a graph file is expected");
  if (!S_ISREG(info.st_mode)) return;
  named_ = file != kStandardInput;
  size_ = static_cast<std::uint64_t>(info.st_size);
  // Deflate packs 258 bytes into two bits at best; of other packings it is not known.
  if (packing() == "gzip") most_text_ = size_ * 1032;
  if (packing().empty()) most_text_ = size_;
}

TextSource::~TextSource() {
  if (reading_.valid()) reading_.wait();
}

std::string_view TextSource::packing() const {
  return bytes_->packing() != nullptr ? bytes_->packing()->name : std::string_view{};
}

std::string_view TextSource::head() {
  if (!begun_) fill();
  return {buffer_.data() + at_, end_ - at_};
}

void TextSource::read_block(Block& block, std::size_t bytes) {
  block.bytes.resize(bytes);
  block.size = bytes_->read(block.bytes.data(), bytes);
  block.last = block.size < bytes;
  block.file_bytes = bytes_->file_bytes();
  block.error = bytes_->error();
}

bool TextSource::fill() {
  if (ended_) return false;
  if (reading_.valid()) {
    reading_.get();
  } else {
    read_block(ahead_, kFirstBlock);
  }
  if (!ahead_.error.empty()) fail_file(ahead_.error);
  // What is left moves to the front; a line longer than the buffer makes it grow.
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  if (buffer_.size() < end_ + ahead_.size) buffer_.resize(std::max(buffer_.size() * 2, end_ + ahead_.size));
  std::memcpy(buffer_.data() + end_, ahead_.bytes.data(), ahead_.size);
  end_ += ahead_.size;
  taken_ += ahead_.size;
  ended_ = ahead_.last;
  if (!begun_ && std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark))
    at_ = kByteOrderMark.size();
  begun_ = true;
  const bool more = ahead_.size != 0;
  const std::uint64_t done = ahead_.file_bytes;
  if (!ended_) {
    reading_ = std::async(std::launch::async, [this] { read_block(ahead_, kReadBlock); });
  }
  if (progress_) progress_(done, size_);
  return more;
}

std::size_t TextSource::read(char* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    if (at_ == end_ && !fill()) break;
    const std::size_t piece = std::min(n - done, end_ - at_);
    std::memcpy(to + done, buffer_.data() + at_, piece);
    at_ += piece;
    done += piece;
  }
  return done;
}

void TextSource::pass(std::uint64_t offset, std::uint64_t lines) {
  if (reading_.valid()) reading_.get();
  bytes_->go_to(offset);
  at_ = end_ = 0;
  taken_ = offset;
  ended_ = false;
  line_ += lines;
  if (progress_) progress_(offset, size_);
}

void TextSource::require_undamaged() {
  if (packing().empty()) return;
  do {
    at_ = end_;
  } while (fill());
}

void TextSource::fail(const std::string& what) const { fail_at(line_, what); }

void TextSource::fail_at(std::uint64_t line, const std::string& what) const {
  const std::string place = line > 0 ? ":" + std::to_string(line) : "";  // before the first there is none
  throw UserError(file_ + place + ": " + what);
}

void TextSource::fail_file(const std::string& what) const { throw UserError(file_ + ": " + what); }

}  // namespace polyloom::polite
