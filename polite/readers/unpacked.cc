// SPDX-License-Identifier: Apache-2.0
#include "polite/readers/unpacked.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace polyloom::polite {

namespace {

using namespace std::string_view_literals;
/// A frame that zstd and lz4 pass over: 0x184D2A5?, how many bytes follow, both little-endian, and these.
constexpr std::string_view kSkippable = "\x2a\x4d\x18"sv;  // behind the first byte
constexpr std::size_t kSkippableHead = 8;

bool is_skippable(std::string_view head) {
  return head.size() > kSkippable.size() && (head[0] & 0xf0) == 0x50 &&
         head.substr(1).starts_with(kSkippable);
}

}  // namespace

Unpacked::Unpacked(int descriptor) : descriptor_(descriptor) {
  do {
    begin_stream();
  } while (skipped_ && packing_ == nullptr && error_.empty() && have(1));
}

Unpacked::~Unpacked() { ::close(descriptor_); }

std::size_t Unpacked::read(char* to, std::size_t n) {
  return packing_ != nullptr ? unpack_into(to, n) : copy_into(to, n);
}

std::size_t Unpacked::read_at(char* to, std::size_t n, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < n) {
    const ssize_t got = ::pread(descriptor_, to + done, n - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void Unpacked::go_to(std::uint64_t offset) {
  ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET);
  at_ = left_ = 0;
  ended_ = false;
  file_bytes_ = offset;
}

bool Unpacked::have(std::size_t n) {
  if (left_ >= n) return true;
  std::memmove(buffer_.data(), next(), left_);
  at_ = 0;
  while (left_ < n && !ended_) {
    const ssize_t got = ::read(descriptor_, buffer_.data() + left_, buffer_.size() - left_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error_ = std::string("the file cannot be read: ") + std::strerror(errno);
    ended_ = got <= 0;
    if (ended_) break;
    left_ += static_cast<std::size_t>(got);
    file_bytes_ += static_cast<std::size_t>(got);
  }
  return left_ >= n;
}

std::size_t Unpacked::copy_into(char* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n && error_.empty() && have(1)) {
    const std::size_t piece = std::min(n - done, left_);
    std::memcpy(to + done, next(), piece);
    take(piece);
    done += piece;
  }
  return done;
}

std::size_t Unpacked::unpack_into(char* to, std::size_t n) {
  Decoder::Bytes bytes{nullptr, 0, reinterpret_cast<unsigned char*>(to), n};
  while (bytes.room > 0 && error_.empty()) {
    if (!stream_) {
      if (!have(1)) break;
      begin_stream();
      continue;
    }
    const std::size_t left = left_, room = bytes.room;
    bytes.from = next();
    bytes.left = left;
    const Decoder::Step step = stream_->step(bytes);
    take(left - bytes.left);
    if (step == Decoder::Step::kEnd) {
      stream_.reset();
    } else if (step == Decoder::Step::kDamaged) {
      fail("is damaged");
    } else if (left_ == left && bytes.room == room && !have(left + 1)) {
      truncated();  // the decoder waits for more than the file has
    }
  }
  return n - bytes.room;
}

void Unpacked::begin_stream() {
  have(kSkippableHead);
  const std::string_view ahead(reinterpret_cast<const char*>(next()), std::min(left_, kSkippableHead));
  if ((packing_ == nullptr || packing_->skippable) && is_skippable(ahead)) return skip_frame(ahead);
  if (packing_ == nullptr) {  // the first stream says how the file is packed
    for (const Packing& kind : packings()) {
      if (ahead.starts_with(kind.magic)) packing_ = &kind;
    }
    if (packing_ == nullptr && skipped_)
      fail("is damaged: what follows a frame to skip is neither zstd nor lz4");
    if (packing_ == nullptr) return;
  }
  const std::size_t padding = packing_->padding;
  if (padding != 0 && ahead.size() >= padding && ahead.substr(0, padding) == std::string(padding, '\0')) {
    take(padding);
  } else if (packing_->magic.starts_with(ahead.substr(0, packing_->magic.size()))) {
    stream_ = packing_->decoder();  // of a magic that is cut off too: it waits for the rest
  } else {
    fail("is damaged: what follows its packed data is not " + std::string(packing_->name));
  }
}

void Unpacked::skip_frame(std::string_view head) {
  skipped_ = true;
  if (head.size() < kSkippableHead) return truncated();
  std::uint64_t rest = 0;
  for (std::size_t i = kSkippableHead; i-- > kSkippableHead / 2;)
    rest = rest << 8 | static_cast<unsigned char>(head[i]);
  take(kSkippableHead);
  while (rest > 0) {
    if (!have(1)) return truncated();
    const std::size_t piece = std::min<std::uint64_t>(rest, left_);
    take(piece);
    rest -= piece;
  }
}

void Unpacked::truncated() {
  if (error_.empty()) fail("ends too early (truncated)");  // else it could not be read on
}

void Unpacked::fail(const std::string& what) {
  error_ = "the " + std::string(packing_ != nullptr ? packing_->name : "packed") + " file " + what +
           "; copy it again";
}

}  // namespace polyloom::polite
