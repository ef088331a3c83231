// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/greeting.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace polyloom::fabric {
namespace {

constexpr std::size_t kLongest = 65536;  // body of a key or a hello

// To a socket on which little or nothing has been sent, so there is room.
void say(int fd, HostMessage type, const std::string& body) {
  const HostHeader header{type, 0, body.size(), 0};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += body;
  [[maybe_unused]] const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Greeting::Greeting(int fd, std::string secret, Clock::time_point deadline)
    : fd_(fd), peer_(peer_of(fd)), secret_(std::move(secret)), deadline_(deadline) {
  if (!peer_.is_trusted()) {
    fail("is not of this user (" + std::to_string(::geteuid()) + ")");
    return;
  }
  say(fd_, HostMessage::key, key_body(secret_));
}

Greeting::~Greeting() {
  if (fd_ >= 0) ::close(fd_);
}

Greeting::Greeting(Greeting&& other) noexcept { *this = std::move(other); }

Greeting& Greeting::operator=(Greeting&& other) noexcept {
  if (this == &other) return *this;
  if (fd_ >= 0) ::close(fd_);
  fd_ = std::exchange(other.fd_, -1);
  peer_ = other.peer_;
  secret_ = std::move(other.secret_);
  deadline_ = other.deadline_;
  state_ = other.state_;
  refusal_ = std::move(other.refusal_);
  knows_secret_ = other.knows_secret_;
  bytes_ = std::move(other.bytes_);
  need_ = other.need_;
  number_ = other.number_;
  links_ = std::move(other.links_);
  return *this;
}

Greeting::State Greeting::fail(const std::string& why) {
  refusal_ = why;
  return state_ = State::refused;
}

Greeting::State Greeting::read() {
  std::array<char, 4096> buffer;
  while (state_ == State::waiting) {
    if (bytes_.size() == need_) {
      take_message();
      continue;
    }
    const ssize_t n =
        ::recv(fd_, buffer.data(), std::min(buffer.size(), need_ - bytes_.size()), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return state_;
    if (n <= 0) return fail("left before it had said hello");
    bytes_.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return state_;
}

// A header, or a header with its body.
void Greeting::take_message() {
  HostHeader header{};
  std::memcpy(&header, bytes_.data(), sizeof header);
  const HostMessage wanted = knows_secret_ ? HostMessage::hello : HostMessage::key;
  if (header.type != wanted || header.bytes > kLongest) {
    fail("speaks another protocol, or another version of it; build both sides from one checkout");
    return;
  }
  if (bytes_.size() < sizeof header + header.bytes) {
    need_ = sizeof header + header.bytes;
    return;
  }
  const std::string body = std::exchange(bytes_, {}).substr(sizeof header);
  need_ = sizeof header;
  try {
    if (!knows_secret_) {
      if (const std::string wrong = check_key(body, secret_); !wrong.empty()) fail(wrong);
      knows_secret_ = state_ == State::waiting;
      return;
    }
    BodyReader in(body);
    number_ = in.u32();
    links_.resize(std::min<std::uint32_t>(in.u32(), kLongest / sizeof(std::uint32_t)));
    for (unsigned& link : links_) link = in.u32();
    state_ = State::complete;
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
}

void Greeting::refuse(const std::string& why) {
  if (fd_ < 0) return;
  BodyWriter error;
  error.u32(static_cast<std::uint32_t>(HostErrorReason::protocol));
  say(fd_, HostMessage::error, error.body() + "the simulator refused this program: it " + why);
  ::close(std::exchange(fd_, -1));
}

int Greeting::release() { return std::exchange(fd_, -1); }

}  // namespace polyloom::fabric
