// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/cpu/station.h"

#include "fabric/error.h"

namespace polyloom::mpi {

void Station::send(std::uint16_t to, const Header& header, Bytes payload) {
  if (to >= job_.table.size()) return;  // a job of one rank has no manager
  scratch_.clear();
  write_packet(header, payload, scratch_);
  transport_->send(job_.table[to], scratch_);
}

// A rank is who it says only at the address that the table gives for it.
void Station::take(const Endpoint& from, Bytes datagram) {
  const auto packet = read_packet(datagram);
  if (packet && packet->header.source < job_.table.size()) {
    const Endpoint& known = job_.table[packet->header.source];
    if (known.ip == from.ip && known.port == from.port) {
      return engine_.on_packet(packet->header, packet->payload, transport_->now());
    }
  }
  if (other_) other_(from, datagram);
}

void Station::pump(Time until) {
  transport_->flush();
  transport_->receive(std::min(until, engine_.next_timer()),
                      [this](const Endpoint& from, Bytes datagram) { take(from, datagram); });
  if (engine_.next_timer() <= transport_->now()) engine_.on_timer(transport_->now());
  transport_->flush();
  collect();
}

void Station::collect() {
  std::erase_if(pending_, [this](const Pending& p) {
    if (!engine_.complete(p.handle)) return false;
    engine_.take(p.handle);
    return true;
  });
}

void Station::send_system(std::uint16_t to, std::int32_t tag, std::vector<std::byte> data) {
  const int handle = engine_.send({to, tag, POLYLOOM_SYSTEM, 0}, data.data(),
                                  static_cast<std::uint32_t>(data.size()), false, transport_->now());
  if (handle < 0)
    throw UserError("too many requests at once for a message to the manager; complete some first");
  pending_.push_back({static_cast<unsigned>(handle), std::move(data)});
  collect();
}

std::optional<std::vector<std::byte>> Station::take_system(std::uint16_t from, std::int32_t tag,
                                                           std::uint16_t* source) {
  const Envelope envelope{from, tag, POLYLOOM_SYSTEM, 0};
  const auto found = engine_.probe(envelope);
  if (!found) return std::nullopt;
  std::vector<std::byte> data(found->bytes);
  const Envelope exact{found->source, found->tag, POLYLOOM_SYSTEM, 0};
  const int handle = engine_.receive(exact, data.data(), found->bytes, transport_->now());
  if (handle < 0) return std::nullopt;
  while (!engine_.complete(static_cast<unsigned>(handle))) pump(kNever);
  if (engine_.take(static_cast<unsigned>(handle)).error != POLYLOOM_OK) return std::nullopt;
  if (source != nullptr) *source = found->source;
  return data;
}

// Some copies, as this process will not be here to repeat it.
void Station::part(std::uint16_t from) {
  for (int i = 0; i < 3; ++i) {
    engine_.acknowledge(from);
    transport_->flush();
  }
}

bool Station::settle(Time most) {
  const Time end = transport_->now() + most;
  while (!engine_.quiet()) {
    if (transport_->now() >= end) return false;
    pump(end);
  }
  return true;
}

}  // namespace polyloom::mpi
