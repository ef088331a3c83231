// SPDX-License-Identifier: Apache-2.0
// An engine on a transport: what CPU ranks and the manager have in common.
#pragma once

#include "roles/mpi/runtime/cpu/transport.h"

namespace polyloom::mpi {

class Station final : public Sink {
 public:
  Station(const Job& job, std::unique_ptr<Transport> transport)
      : job_(job), transport_(std::move(transport)), engine_(job.config, *this) {}

  Engine& engine() { return engine_; }
  Transport& transport() { return *transport_; }
  const Job& job() const { return job_; }
  Time now() { return transport_->now(); }

  /// Sends what is queued, takes what comes, at the latest until then, and does what is due.
  void pump(Time until);
  /// Gets datagrams that are no MPI packets of a rank, e.g. responses of management.
  void on_other(Transport::Receiver receiver) { other_ = std::move(receiver); }

  /// A system message; its data is kept until it has left.
  void send_system(std::uint16_t to, std::int32_t tag, std::vector<std::byte> data);
  /// A system message that has come, if there is one from that rank with that tag.
  std::optional<std::vector<std::byte>> take_system(std::uint16_t from, std::int32_t tag,
                                                    std::uint16_t* source = nullptr);
  /// Pumps until nothing of ours is under way; false if that takes longer.
  bool settle(Time most);
  /// The last thing to be said to a rank: acknowledges what has come from it.
  void part(std::uint16_t from);

  void send(std::uint16_t to, const Header& header, Bytes payload) override;

 private:
  void take(const Endpoint& from, Bytes datagram);
  void collect();

  const Job& job_;
  std::unique_ptr<Transport> transport_;
  Engine engine_;
  Transport::Receiver other_;
  std::vector<std::byte> scratch_;
  struct Pending {
    unsigned handle;
    std::vector<std::byte> data;
  };
  std::vector<Pending> pending_;
};

}  // namespace polyloom::mpi
