// SPDX-License-Identifier: Apache-2.0
// Datagrams as Ethernet frames of a host of the simulated cluster, in simulated time.
#include "fabric/host/client.h"
#include "roles/mpi/runtime/cpu/transport.h"

namespace polyloom::mpi {
namespace {

class Simulated final : public Transport {
 public:
  Simulated(const Job& job, unsigned self) : own_(job.table.at(self)) {}

  Time now() override { return client_.now(); }
  bool is_real_time() const override { return false; }
  Time call_time() const override { return client_.call_time(); }
  void compute(Time until) override { client_.compute(std::max<Time>(until - client_.now(), 0)); }

  void send(const Endpoint& to, Bytes datagram) override {
    queue_.push_back(add_check(write_datagram(own_, to, datagram)));
  }

  void flush() override {
    std::vector<fabric::Outgoing> frames;
    frames.reserve(queue_.size());
    for (const LinkFrame& frame : queue_) frames.push_back({0, frame.words, frame.keep});
    client_.send(frames);
    queue_.clear();
  }

  void receive(Time until, const Receiver& receiver) override {
    const Time most = until == kNever ? kNever : std::max<Time>(until - client_.now(), 0);
    for (const fabric::Received& received : client_.recv_within(most)) {
      const auto bytes = strip_check(received.words, received.keep);
      if (!bytes) continue;
      const Frame frame = read_frame(*bytes, own_);
      if (frame.arp) queue_.push_back(add_check(write_arp_response(own_, *frame.arp)));
      if (frame.datagram && frame.datagram->port == own_.port)
        receiver(frame.datagram->from, frame.datagram->bytes);
    }
  }

  std::string finish() override { return client_.finish(); }

 private:
  Endpoint own_;
  fabric::HostClient client_;
  std::vector<LinkFrame> queue_;
};

}  // namespace

std::unique_ptr<Transport> make_fabric(const Job& job, unsigned self) {
  return std::make_unique<Simulated>(job, self);
}

}  // namespace polyloom::mpi
