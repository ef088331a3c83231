// SPDX-License-Identifier: Apache-2.0
#include "polite/readers/unpacked.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace polyloom::polite {

namespace {

constexpr unsigned char kMagic[] = {0x1f, 0x8b};
constexpr int kGzipWindow = 15 + 16;  // zlib: 15 bits of window, with the header of gzip

}  // namespace

Unpacked::Unpacked(int descriptor) : descriptor_(descriptor) {
  while (refill() && stream_.avail_in < sizeof kMagic && !ended_) {  // a pipe may give a byte at a time
    const ssize_t got = ::read(descriptor_, buffer_.data() + stream_.avail_in, 1);
    ended_ = got <= 0;
    stream_.avail_in += got > 0;
    file_bytes_ += got > 0;
  }
  packed_ = stream_.avail_in >= sizeof kMagic && std::memcmp(buffer_.data(), kMagic, sizeof kMagic) == 0;
  if (packed_ && inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  inside_ = packed_;
}

Unpacked::~Unpacked() {
  if (packed_) inflateEnd(&stream_);
  ::close(descriptor_);
}

std::size_t Unpacked::read(char* to, std::size_t n) {
  if (packed_) return inflate_into(to, n);
  std::size_t done = 0;
  while (done < n && refill()) {
    const std::size_t piece = std::min<std::size_t>(n - done, stream_.avail_in);
    std::memcpy(to + done, stream_.next_in, piece);
    stream_.next_in += piece;
    stream_.avail_in -= static_cast<unsigned>(piece);
    done += piece;
  }
  return done;
}

bool Unpacked::refill() {
  if (stream_.avail_in > 0) return true;
  if (ended_) return false;
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) error_ = std::string("the file cannot be read: ") + std::strerror(errno);
  ended_ = got <= 0;
  stream_.next_in = buffer_.data();
  stream_.avail_in = got > 0 ? static_cast<unsigned>(got) : 0;
  file_bytes_ += stream_.avail_in;
  return !ended_;
}

std::size_t Unpacked::inflate_into(char* to, std::size_t n) {
  stream_.next_out = reinterpret_cast<unsigned char*>(to);
  stream_.avail_out = static_cast<unsigned>(n);
  while (stream_.avail_out > 0 && error_.empty()) {
    if (!refill()) {
      if (inside_ && error_.empty()) error_ = "the gzip file ends too early (truncated); copy it again";
      break;
    }
    if (!inside_) {
      begin_member();
      continue;
    }
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      inside_ = false;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      error_ = std::string("the gzip file is damaged (") +
               (stream_.msg != nullptr ? stream_.msg : "it needs a dictionary") + "); copy it again";
    }
  }
  return n - stream_.avail_out;
}

void Unpacked::begin_member() {
  if (*stream_.next_in == 0) {
    ++stream_.next_in;
    --stream_.avail_in;
  } else if (*stream_.next_in == kMagic[0]) {
    inflateReset(&stream_);
    inside_ = true;
  } else {
    error_ = "the gzip file is damaged: what follows its packed data is not gzip; copy it again";
  }
}

}  // namespace polyloom::polite
