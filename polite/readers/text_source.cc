// SPDX-License-Identifier: Apache-2.0
#include "polite/readers/text_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fabric/error.h"

namespace polyloom::polite {

namespace {

/// Small files are many, large ones long: the first block is small.
constexpr std::size_t kFirstBlock = 64 << 10;
constexpr std::size_t kReadBlock = 1 << 20;
/// What editors put before UTF-8; no part of the first line.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kAptHelper = "/usr/lib/apt/apt-helper";

/// What apt's helper unpacks: the end of a name, and what such a file begins with.
struct Packed {
  std::string_view end, magic;
};
constexpr Packed kPacked[] = {{".lz4", "\x04\x22\x4d\x18"},
                              {".xz", std::string_view("\xfd"
                                                       "7zXZ\0",
                                                       6)},
                              {".zst", "\x28\xb5\x2f\xfd"},
                              {".bz2", "BZh"}};

const Packed* packed(const std::string& file) {
  const auto* const found = std::find_if(std::begin(kPacked), std::end(kPacked),
                                         [&](const Packed& kind) { return file.ends_with(kind.end); });
  return found == std::end(kPacked) ? nullptr : found;
}

/// Why the helper could not unpack it.
std::string unpacking_error(const std::string& file) {
  const Packed& kind = *packed(file);
  std::string start(kind.magic.size(), '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  if (start == kind.magic)
    return "the compressed file is damaged or ends too early (truncated); copy it again";
  return "the file's name ends in " + std::string(kind.end) +
         ", but it is not packed that way (or damaged from its first byte on); name it for what it is";
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

TextSource::TextSource(const std::string& file, Progress progress)
    : file_(file), progress_(std::move(progress)) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) {
    throw UserError(file + ": cannot be opened: " + std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) throw UserError(file + ": is a folder; a graph file is expected");
  size_ = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  if (packed(file) != nullptr) {
    if (access(kAptHelper, X_OK) != 0) {
      fail_file(std::string("is compressed in a way that only apt's helper reads (") + kAptHelper +
                ", missing here); plain and gzip files need no helper");
    }
    pipe_ = popen((std::string(kAptHelper) + " cat-file " + quoted(file) + " 2>/dev/null").c_str(), "r");
  }
  const int descriptor = pipe_ != nullptr          ? dup(fileno(pipe_))
                         : packed(file) != nullptr ? -1
                                                   : open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_file(std::string("cannot be opened: ") + std::strerror(errno));
  bytes_ = std::make_unique<Unpacked>(descriptor);
  // Deflate packs 258 bytes into two bits at best.
  if (pipe_ == nullptr && S_ISREG(info.st_mode)) most_text_ = bytes_->packed() ? size_ * 1032 : size_;
}

TextSource::~TextSource() {
  if (reading_.valid()) reading_.wait();
  if (pipe_ != nullptr) pclose(pipe_);
}

void TextSource::read_block(Block& block, std::size_t bytes) {
  block.bytes.resize(bytes);
  block.size = bytes_->read(block.bytes.data(), bytes);
  block.last = block.size < bytes;
  block.file_bytes = bytes_->file_bytes();
  if (!block.last) return;
  block.error = bytes_->error();
  if (pipe_ != nullptr && block.error.empty()) {
    const int ended = pclose(pipe_);  // it has written all that it will
    pipe_ = nullptr;
    if (ended != 0) block.error = unpacking_error(file_);
  }
}

bool TextSource::fill() {
  if (ended_) return false;
  if (reading_.valid()) {
    reading_.get();
  } else {
    read_block(ahead_, kFirstBlock);
  }
  if (!ahead_.error.empty()) fail(ahead_.error);
  // What is left moves to the front; a line longer than the buffer makes it grow.
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = 0;
  if (buffer_.size() < end_ + ahead_.size) buffer_.resize(std::max(buffer_.size() * 2, end_ + ahead_.size));
  std::memcpy(buffer_.data() + end_, ahead_.bytes.data(), ahead_.size);
  end_ += ahead_.size;
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

void TextSource::fail(const std::string& what) const { fail_at(line_, what); }

void TextSource::fail_at(std::uint64_t line, const std::string& what) const {
  const std::string place = line > 0 ? ":" + std::to_string(line) : "";  // before the first there is none
  throw UserError(file_ + place + ": " + what);
}

void TextSource::fail_file(const std::string& what) const { throw UserError(file_ + ": " + what); }

}  // namespace polyloom::polite
