// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/tests/network.h"

#include <algorithm>

namespace polyloom::mpi::testing {

Network::Network(unsigned size, Config config, Faults faults, std::uint64_t seed)
    : faults_(faults), random_(seed), cut_(size + 1, false) {
  port_.network = this;
  config.size = static_cast<std::uint16_t>(size);
  for (unsigned rank = 0; rank <= size; ++rank) {
    config.rank = static_cast<std::uint16_t>(rank);
    engines_.push_back(std::make_unique<Engine>(config, port_));
  }
}

void Network::post(std::uint16_t to, const Header& header, Bytes payload) {
  std::vector<std::byte> datagram;
  write_packet(header, payload, datagram);
  ++kinds_[static_cast<unsigned>(header.kind)];
  for (int copies = chance(faults_.twice) ? 2 : 1; copies > 0; --copies) {
    ++packets_;
    if (chance(faults_.loss)) continue;
    const Time late = chance(faults_.late)
                          ? static_cast<Time>(random_() % static_cast<std::uint64_t>(faults_.lateness))
                          : 0;
    flights_.push({now_ + faults_.latency + late, packets_, datagram, to});
  }
}

bool Network::step(Time until) {
  Time timer = kNever;
  for (const auto& engine : engines_) timer = std::min(timer, engine->next_timer());
  const Time packet = flights_.empty() ? kNever : flights_.top().at;
  if (std::min(timer, packet) > until || std::min(timer, packet) == kNever) return false;
  if (packet <= timer) {
    const Flight flight = flights_.top();
    flights_.pop();
    now_ = std::max(now_, flight.at);
    const auto read = read_packet(flight.datagram);
    if (read && !cut_[flight.to] && !cut_[read->header.source]) {
      engines_[flight.to]->on_packet(read->header, read->payload, now_);
    }
    return true;
  }
  now_ = std::max(now_, timer);
  for (const auto& engine : engines_) {
    if (engine->next_timer() <= now_) engine->on_timer(now_);
  }
  return true;
}

bool Network::run_until_complete(unsigned rank, int handle, Time most) {
  const Time end = now_ + most;
  while (!engines_[rank]->complete(static_cast<unsigned>(handle))) {
    if (!step(end)) return false;
  }
  return true;
}

}  // namespace polyloom::mpi::testing
