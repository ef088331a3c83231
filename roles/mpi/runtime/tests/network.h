// SPDX-License-Identifier: Apache-2.0
// Engines joined by a simulated network that delays, loses, doubles and reorders packets; reproducible by its
// seed.
#pragma once

#include <memory>
#include <queue>
#include <random>
#include <vector>

#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi::testing {

struct Faults {
  double loss = 0, twice = 0, late = 0;  ///< probabilities
  Time latency = 1'000'000, lateness = 20'000'000;
};

class Network {
 public:
  /// `size` ranks and the manager.
  Network(unsigned size, Config config, Faults faults, std::uint64_t seed);

  Engine& operator[](unsigned rank) { return *engines_[rank]; }
  unsigned size() const { return static_cast<unsigned>(engines_.size()) - 1; }
  Time now() const { return now_; }
  std::uint64_t packets() const { return packets_; }
  /// Packets of that kind, which have been sent.
  std::uint64_t packets(Kind kind) const { return kinds_[static_cast<unsigned>(kind)]; }
  /// Goes on to the next packet or timer; false if there is none until then.
  bool step(Time until = kNever);
  /// Steps until the request is complete. False if that takes longer than `most`.
  bool run_until_complete(unsigned rank, int handle, Time most);
  /// Loses every packet to that rank from now on.
  void cut(unsigned rank) { cut_[rank] = true; }
  std::mt19937_64& random() { return random_; }

 private:
  struct Port final : Sink {
    Network* network = nullptr;
    void send(std::uint16_t to, const Header& header, Bytes payload) override {
      network->post(to, header, payload);
    }
  };
  struct Flight {
    Time at;
    std::uint64_t order;
    std::vector<std::byte> datagram;
    std::uint16_t to;
    bool operator>(const Flight& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void post(std::uint16_t to, const Header& header, Bytes payload);
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }

  Faults faults_;
  std::mt19937_64 random_;
  Time now_ = 0;
  std::uint64_t packets_ = 0, kinds_[8] = {};
  std::vector<bool> cut_;
  Port port_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::priority_queue<Flight, std::vector<Flight>, std::greater<>> flights_;
};

}  // namespace polyloom::mpi::testing
