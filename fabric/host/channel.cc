// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "fabric/error.h"
#include "fabric/host/peer.h"

namespace polyloom::fabric {
namespace {

constexpr std::size_t kBuffer = 64 * 1024;

}  // namespace

void BodyReader::raw(void* to, std::size_t bytes) {
  if (bytes > body_.size()) throw ProtocolError("a message is too short");
  if (bytes > 0) std::memcpy(to, body_.data(), bytes);
  body_.remove_prefix(bytes);
}

std::uint32_t BodyReader::u32() {
  std::uint32_t v = 0;
  raw(&v, sizeof v);
  return v;
}

std::int64_t BodyReader::i64() {
  std::int64_t v = 0;
  raw(&v, sizeof v);
  return v;
}

std::string BodyReader::text() {
  const std::uint32_t size = u32();
  if (size > body_.size()) throw ProtocolError("a message is too short");
  std::string s(body_.substr(0, size));
  body_.remove_prefix(size);
  return s;
}

std::string BodyReader::rest() { return std::string(std::exchange(body_, {})); }

Channel::Channel(int fd, int wake_fd) : fd_(fd), wake_fd_(wake_fd), in_(kBuffer) {}

Channel::~Channel() { close(); }

Channel::Channel(Channel&& other) noexcept { *this = std::move(other); }

Channel& Channel::operator=(Channel&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  wake_fd_ = other.wake_fd_;
  broken_ = other.broken_;
  out_ = std::move(other.out_);
  in_ = std::move(other.in_);
  in_begin_ = std::exchange(other.in_begin_, 0);
  in_end_ = std::exchange(other.in_end_, 0);
  return *this;
}

void Channel::signalled() {
  if (!on_signal) return;
  try {
    on_signal();
  } catch (...) {
    interrupted = true;
    throw;
  }
}

void Channel::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool Channel::send_all(const char* data, std::size_t bytes) {
  while (bytes > 0 && !broken_) {
    const ssize_t n = ::send(fd_, data, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) {
      signalled();
      continue;
    }
    if (n < 0) {
      broken_ = true;  // what the peer said before it left can still be read
      break;
    }
    data += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return !broken_;
}

bool Channel::flush() {
  const bool sent = send_all(out_.data(), out_.size());
  out_.clear();
  return sent;
}

void Channel::put(HostMessage type, std::int64_t time, std::string_view body,
                  std::span<const std::uint64_t> words) {
  HostHeader header{type, 0, body.size() + words.size_bytes(), time};
  out_.append(reinterpret_cast<const char*>(&header), sizeof header);
  out_.append(body);
  const char* data = reinterpret_cast<const char*>(words.data());
  if (words.size_bytes() >= kBuffer) {  // bulk data goes straight from the caller's memory
    flush();
    send_all(data, words.size_bytes());
    return;
  }
  out_.append(data, words.size_bytes());
  if (out_.size() >= kBuffer) flush();
}

long Channel::read_some(char* to, std::size_t bytes) {
  for (;;) {
    if (wake_fd_ >= 0) {
      pollfd fds[2] = {{fd_, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
      if (::poll(fds, 2, -1) < 0) {
        if (errno == EINTR) {
          signalled();
          continue;
        }
        throw std::runtime_error(std::string("host protocol: poll: ") + std::strerror(errno));
      }
      if (fds[1].revents) return -1;
    }
    const ssize_t n = ::recv(fd_, to, bytes, 0);
    if (n < 0 && errno == EINTR) {
      signalled();
      continue;
    }
    return n < 0 ? 0 : n;  // a reset is a close
  }
}

Channel::Outcome Channel::receive(HostHeader& header) {
  auto* to = reinterpret_cast<char*>(&header);
  std::size_t got = 0;
  while (got < sizeof header) {
    if (in_begin_ == in_end_) {
      const long n = read_some(in_.data(), in_.size());
      if (n < 0) return Outcome::woken;
      if (n == 0) return Outcome::closed;
      in_begin_ = 0;
      in_end_ = static_cast<std::size_t>(n);
    }
    const std::size_t take = std::min(sizeof header - got, in_end_ - in_begin_);
    std::memcpy(to + got, in_.data() + in_begin_, take);
    in_begin_ += take;
    got += take;
  }
  if (header.bytes > kMaxHostBody) throw ProtocolError("a message of impossible length");
  return Outcome::message;
}

bool Channel::read(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  const std::size_t buffered = std::min(bytes, in_end_ - in_begin_);
  if (buffered > 0) std::memcpy(at, in_.data() + in_begin_, buffered);
  in_begin_ += buffered;
  at += buffered;
  bytes -= buffered;
  while (bytes > 0) {
    const long n = read_some(at, bytes);
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool Channel::read(const HostHeader& header, std::string& body) {
  body.resize(header.bytes);
  return read(body.data(), body.size());
}

namespace {

int make_socket(const std::string& address, sockaddr_un& name, socklen_t& length) {
  name = {};
  name.sun_family = AF_UNIX;
  if (address.empty() || address.size() >= sizeof name.sun_path) {
    throw UserError("socket \"" + address + "\": the path is empty or too long; allowed: 1 to " +
                    std::to_string(sizeof name.sun_path - 1) + " characters");
  }
  std::memcpy(name.sun_path, address.data(), address.size());
  if (address[0] == '@') name.sun_path[0] = '\0';
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw UserError(std::string("cannot make a socket: ") + std::strerror(errno));
  ::fchmod(fd, S_IRUSR | S_IWUSR);  // the mode of its path, if it gets one
  return fd;
}

}  // namespace

// Who waits for the path to appear must be able to connect at once, so it gets its name when the socket
// listens: bind makes a file that refuses connections.
int listen_at(const std::string& address, int backlog) {
  sockaddr_un name;
  socklen_t length;
  const bool is_path = !address.empty() && address[0] != '@';
  const std::string fresh = is_path ? address + "~" : address;
  const int fd = make_socket(fresh, name, length);
  if (is_path) ::unlink(fresh.c_str());
  bool ok = ::bind(fd, reinterpret_cast<sockaddr*>(&name), length) == 0 && ::listen(fd, backlog) == 0;
  if (ok && is_path) {
    ok = ::link(fresh.c_str(), address.c_str()) == 0;
    const int error = errno;
    ::unlink(fresh.c_str());
    errno = error;
  }
  if (!ok) {
    const std::string why = std::strerror(errno);
    ::close(fd);
    throw UserError("cannot listen at socket \"" + address + "\": " + why);
  }
  return fd;
}

int connect_to(const std::string& address) {
  sockaddr_un name;
  socklen_t length;
  const int fd = make_socket(address, name, length);
  while (::connect(fd, reinterpret_cast<sockaddr*>(&name), length) != 0) {
    if (errno == EINTR) continue;
    const std::string why = std::strerror(errno);
    ::close(fd);
    throw UserError("cannot connect to socket \"" + address + "\": " + why);
  }
  if (const Peer peer = peer_of(fd); !peer.is_trusted()) {
    ::close(fd);
    throw UserError("socket \"" + address + "\": " + peer.text() + " listens there, not one of this user (" +
                    std::to_string(::geteuid()) + ")");
  }
  return fd;
}

}  // namespace polyloom::fabric
