// SPDX-License-Identifier: Apache-2.0
// One end of the socket between a host program and the simulator: whole messages, buffered both ways.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/error.h"
#include "fabric/host/protocol.h"

namespace polyloom::fabric {

/// The other side says what the protocol does not have.
struct ProtocolError : UserError {
  explicit ProtocolError(const std::string& what) : UserError("host protocol: " + what) {}
};

/// Builds a message body.
class BodyWriter {
 public:
  void u32(std::uint32_t v) { raw(&v, sizeof v); }
  void i64(std::int64_t v) { raw(&v, sizeof v); }
  void text(std::string_view s) {
    u32(static_cast<std::uint32_t>(s.size()));
    raw(s.data(), s.size());
  }
  void raw(const void* data, std::size_t bytes) { body_.append(static_cast<const char*>(data), bytes); }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

/// Takes a message body apart; a read past its end throws ProtocolError.
class BodyReader {
 public:
  explicit BodyReader(std::string_view body) : body_(body) {}
  std::uint32_t u32();
  std::int64_t i64();
  std::string text();
  std::string rest();
  void raw(void* to, std::size_t bytes);
  bool empty() const { return body_.empty(); }

 private:
  std::string_view body_;
};

/// A connected stream socket. Not thread safe. Throws ProtocolError on a babbling peer.
class Channel {
 public:
  /// Called when a signal has interrupted a wait; what it throws ends the wait. A host program in a language
  /// whose handlers wait for its interpreter calls them here. To be set before there are channels.
  static inline void (*on_signal)() = nullptr;
  /// on_signal has thrown: this program is about to end, and waits for no simulator any more.
  static inline std::atomic<bool> interrupted = false;

  Channel() = default;
  /// Takes over the socket. If `wake_fd` is not -1, receive() gives up when it becomes readable.
  explicit Channel(int fd, int wake_fd = -1);
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void close();

  /// Appends a message to the buffer; sends when that has grown large.
  void put(HostMessage type, std::int64_t time, std::string_view body,
           std::span<const std::uint64_t> words = {});
  /// Sends what is buffered; false if the peer has gone.
  bool flush();

  enum class Outcome { message, closed, woken };
  /// Waits for the next header.
  Outcome receive(HostHeader& header);
  /// Reads exactly that many bytes of the body; false if the peer has gone.
  bool read(void* to, std::size_t bytes);
  /// The whole body.
  bool read(const HostHeader& header, std::string& body);

 private:
  static void signalled();
  bool send_all(const char* data, std::size_t bytes);
  /// Reads at least one byte; 0 = closed, -1 = woken.
  long read_some(char* to, std::size_t bytes);

  int fd_ = -1, wake_fd_ = -1;
  bool broken_ = false;
  std::string out_;
  std::vector<char> in_;
  std::size_t in_begin_ = 0, in_end_ = 0;
};

/// "@name" means Linux's abstract namespace, which leaves no file behind. A path gets a socket that only this
/// user can connect to; connect_to() refuses one at which another user listens. Throw UserError with the path
/// and the cause.
int listen_at(const std::string& address, int backlog);
int connect_to(const std::string& address);

}  // namespace polyloom::fabric
