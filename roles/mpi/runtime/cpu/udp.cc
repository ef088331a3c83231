// SPDX-License-Identifier: Apache-2.0
// Datagrams by UDP sockets, many a system call. What the kernel drops, the protocol sends again.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "fabric/error.h"
#include "roles/mpi/runtime/cpu/transport.h"

namespace polyloom::mpi {
namespace {

constexpr std::size_t kBatch = 32, kLongest = kMessageHead + kMaxPayload + 64;
constexpr int kBufferBytes = 8 << 20;

sockaddr_in to_address(const Endpoint& e) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(e.port);
  address.sin_addr.s_addr = htonl(e.ip);
  return address;
}

// All clocks count from the same instant, so that times of ranks can be compared.
Time wall() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return Time{t.tv_sec} * 1'000'000'000'000 + Time{t.tv_nsec} * 1000;
}

class Udp final : public Transport {
 public:
  Udp(const Job& job, unsigned self) {
    const Endpoint& own = job.table.at(self);
    socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = to_address(own);
    if (socket_ < 0 || ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw UserError("rank " + std::to_string(self) + ": UDP port " + std::to_string(own.port) + ": " +
                      std::strerror(errno));
    }
    // Beyond the system's limit only for root; less is slower, not wrong.
    if (::setsockopt(socket_, SOL_SOCKET, SO_RCVBUFFORCE, &kBufferBytes, sizeof kBufferBytes) != 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &kBufferBytes, sizeof kBufferBytes);
    }
  }
  ~Udp() override { ::close(socket_); }

  Time now() override { return wall(); }
  bool is_real_time() const override { return true; }

  void send(const Endpoint& to, Bytes datagram) override {
    if (queued_ == kBatch) flush();
    Slot& slot = out_[queued_++];
    slot.address = to_address(to);
    slot.bytes = std::min(datagram.size(), kLongest);
    std::memcpy(slot.data.data(), datagram.data(), slot.bytes);
  }

  void flush() override {
    std::array<mmsghdr, kBatch> messages{};
    std::array<iovec, kBatch> parts{};
    for (std::size_t i = 0; i < queued_; ++i) {
      parts[i] = {out_[i].data.data(), out_[i].bytes};
      messages[i].msg_hdr = {&out_[i].address, sizeof out_[i].address, &parts[i], 1, nullptr, 0, 0};
    }
    std::size_t sent = 0;
    while (sent < queued_) {
      const int n = ::sendmmsg(socket_, &messages[sent], static_cast<unsigned>(queued_ - sent), 0);
      sent += n > 0 ? static_cast<std::size_t>(n) : 1;  // one that cannot be sent counts as lost
    }
    queued_ = 0;
  }

  void receive(Time until, const Receiver& receiver) override {
    if (take(receiver)) return;
    const Time left = until == kNever ? kNever : until - wall();
    if (left <= 0) return;
    pollfd wait{socket_, POLLIN, 0};
    const timespec most{left == kNever ? 1 : left / 1'000'000'000'000,
                        left == kNever ? 0 : left / 1000 % 1'000'000'000};
    if (::ppoll(&wait, 1, &most, nullptr) > 0) take(receiver);
  }

  std::string finish() override { return {}; }

 private:
  struct Slot {
    sockaddr_in address;
    std::size_t bytes;
    std::array<std::byte, kLongest> data;
  };

  bool take(const Receiver& receiver) {
    std::array<mmsghdr, kBatch> messages{};
    std::array<iovec, kBatch> parts{};
    for (std::size_t i = 0; i < kBatch; ++i) {
      parts[i] = {in_[i].data.data(), kLongest};
      messages[i].msg_hdr = {&in_[i].address, sizeof in_[i].address, &parts[i], 1, nullptr, 0, 0};
    }
    const int n = ::recvmmsg(socket_, messages.data(), kBatch, MSG_DONTWAIT, nullptr);
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (messages[k].msg_hdr.msg_flags & MSG_TRUNC) continue;
      const Endpoint from{0, ntohl(in_[k].address.sin_addr.s_addr), ntohs(in_[k].address.sin_port)};
      receiver(from, Bytes(in_[k].data).first(messages[k].msg_len));
    }
    return n > 0;
  }

  int socket_ = -1;
  std::size_t queued_ = 0;
  std::array<Slot, kBatch> out_, in_;
};

class Alone final : public Transport {
 public:
  Time now() override { return wall(); }
  bool is_real_time() const override { return true; }
  void send(const Endpoint&, Bytes) override {}
  void flush() override {}
  void receive(Time until, const Receiver&) override {
    const Time left = until - wall();
    if (until == kNever)
      throw UserError("this rank waits for a message, but it is alone and has sent none to itself");
    if (left > 0) ::usleep(static_cast<useconds_t>(left / 1'000'000 + 1));
  }
  std::string finish() override { return {}; }
};

}  // namespace

std::unique_ptr<Transport> make_udp(const Job& job, unsigned self) {
  return std::make_unique<Udp>(job, self);
}
std::unique_ptr<Transport> make_alone() { return std::make_unique<Alone>(); }
std::unique_ptr<Transport> make_transport(const Job& job) {
  return job.on_fabric ? make_fabric(job, job.config.rank) : make_udp(job, job.config.rank);
}

}  // namespace polyloom::mpi
