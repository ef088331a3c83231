// SPDX-License-Identifier: Apache-2.0
// Requests and time; the two directions are in engine_send.cc and engine_receive.cc.
#include "roles/mpi/runtime/engine/engine.h"

#include <algorithm>

namespace polyloom::mpi {
namespace {

// Requests that only messages from and to the manager may take.
constexpr std::size_t kReserved = 1;

}  // namespace

Engine::Engine(const Config& config, Sink& sink)
    : config_(config), sink_(sink), peers_(config.size + 1u), requests_(config.requests), pace_(config.rate) {
  for (unsigned i = config.requests; i-- > 0;) unused_.push_back(static_cast<std::uint16_t>(i));
}

int Engine::new_request(const Envelope& envelope, void* data, std::uint32_t bytes) {
  if (unused_.size() <= (envelope.comm == POLYLOOM_SYSTEM ? 0 : kReserved)) return -POLYLOOM_TOO_MANY;
  const std::uint16_t handle = unused_.back();
  unused_.pop_back();
  Request& request = requests_[handle];
  request = Request{};
  request.envelope = envelope;
  request.data = static_cast<std::byte*>(data);
  request.bytes = bytes;
  return handle;
}

int Engine::send(const Envelope& to, const void* data, std::uint32_t bytes, bool synchronous, Time now) {
  now_ = now;
  if (to.peer > config_.size) return -POLYLOOM_NO_SUCH;
  // The engine only reads a send's data.
  const int handle = new_request(to, const_cast<void*>(data), bytes);
  if (handle < 0) return handle;
  Peer& peer = peers_[to.peer];
  if (!synchronous && may_copy(peer, bytes)) {
    enqueue(copy_of(static_cast<unsigned>(handle)));
    return handle;
  }
  Request& request = requests_[static_cast<unsigned>(handle)];
  request.synchronous = synchronous;
  request.state = State::queued;
  if (peer.dead) {
    finish(request, POLYLOOM_NO_RESPONSE);
    return handle;
  }
  enqueue(static_cast<unsigned>(handle));
  return handle;
}

void Engine::enqueue(unsigned handle) {
  const std::uint16_t to = requests_[handle].envelope.peer;
  peers_[to].queue.push_back(static_cast<std::uint16_t>(handle));
  send_queue(to);
  drain_loop();
}

bool Engine::may_copy(const Peer& peer, std::uint32_t bytes) const {
  const bool has_room = bytes <= config_.buffered && copied_ <= config_.buffered - bytes;
  return bytes > config_.eager_bytes && has_room && unused_.size() > kReserved && !peer.dead;
}

// The program's request is complete at once, another one, which the program does not see, does its work: its
// handle.
unsigned Engine::copy_of(unsigned handle) {
  Request& requested = requests_[handle];
  const auto hidden = static_cast<unsigned>(new_request(requested.envelope, nullptr, requested.bytes));
  Request& request = requests_[hidden];
  request.detached = true;
  request.copy.assign(requested.data, requested.data + requested.bytes);
  request.data = request.copy.data();
  request.state = State::queued;
  requested.result = {POLYLOOM_OK, requested.envelope.type, requested.envelope.peer, requested.envelope.tag,
                      requested.bytes};
  finish(requested, POLYLOOM_OK);
  copied_ += request.bytes;
  return hidden;
}

int Engine::receive(const Envelope& from, void* data, std::uint32_t bytes, Time now) {
  now_ = now;
  if (from.peer > config_.size && from.peer != POLYLOOM_ANY_RANK) return -POLYLOOM_NO_SUCH;
  const int handle = new_request(from, data, bytes);
  if (handle < 0) return handle;
  const auto found = std::find_if(unexpected_.begin(), unexpected_.end(),
                                  [&](const Unexpected& u) { return from.takes(u.header); });
  if (found == unexpected_.end()) {
    if (from.peer <= config_.size && peers_[from.peer].dead) {
      finish(requests_[static_cast<unsigned>(handle)], POLYLOOM_NO_RESPONSE);
      return handle;
    }
    requests_[static_cast<unsigned>(handle)].state = State::posted;
    posted_.push_back(static_cast<std::uint16_t>(handle));
    return handle;
  }
  const Header header = found->header;
  if (found->aside) {
    --peers_[header.source].aside;
  } else {
    freed(header.source);
  }
  deliver(static_cast<unsigned>(handle), header, found->data);
  spare_.splice(spare_.begin(), unexpected_, found);
  drain_loop();
  return handle;
}

bool Engine::cancel(unsigned handle) {
  Request& request = requests_[handle];
  if (request.state != State::posted) return false;
  std::erase(posted_, static_cast<std::uint16_t>(handle));
  request.result.bytes = POLYLOOM_CANCELLED;
  finish(request, POLYLOOM_OK);
  return true;
}

bool Engine::is_handle(unsigned handle) const {
  return handle < requests_.size() && requests_[handle].state != State::unused;
}

Result Engine::take(unsigned handle) {
  Request& request = requests_[handle];
  request.state = State::unused;
  unused_.push_back(static_cast<std::uint16_t>(handle));
  return request.result;
}

std::optional<Result> Engine::probe(const Envelope& from) const {
  for (const Unexpected& u : unexpected_) {
    const Header& h = u.header;
    if (!from.takes(h)) continue;
    return Result{POLYLOOM_OK, h.type, h.source, h.tag, h.length};
  }
  return std::nullopt;
}

std::vector<Envelope> Engine::not_received() const {
  std::vector<Envelope> found;
  for (const Unexpected& u : unexpected_) {
    const Header& h = u.header;
    if (h.comm != POLYLOOM_SYSTEM) found.push_back({h.source, h.tag, h.comm, h.type});
  }
  return found;
}

void Engine::finish(Request& request, std::uint8_t error) {
  if (request.state == State::rendezvous) --peers_[request.envelope.peer].open;
  const bool was_active = request.state == State::rendezvous || request.state == State::receiving;
  request.state = State::complete;
  request.result.error = error;
  const auto handle = static_cast<std::uint16_t>(&request - requests_.data());
  if (was_active) std::erase(active_, handle);
  std::erase(ready_, handle);
  if (request.detached) {
    copied_ -= request.bytes;
    request = Request{};
    unused_.push_back(handle);
  }
}

void Engine::on_packet(const Header& header, Bytes payload, Time now) {
  now_ = now;
  const bool ours =
      header.job == config_.job && header.destination == config_.rank && header.source <= config_.size;
  if (!ours || peers_[header.source].dead) return;
  ++counters_.packets_in;
  peers_[header.source].heard = now_;
  take_news(header.source, header);
  switch (header.kind) {
    case Kind::eager:
      on_eager(header, payload);
      break;
    case Kind::rts:
      on_rts(header);
      break;
    case Kind::cts:
    case Kind::resume:
    case Kind::done:
      on_grant(header);
      break;
    case Kind::data:
      on_data(header, payload);
      break;
    case Kind::ack:
      break;
  }
  drain_loop();
}

void Engine::start_retry(Retry& retry) const { retry = {now_ + config_.retransmission, 0, 0, now_}; }

// Counts a try; false if there were enough without any word from that rank.
bool Engine::try_again(Retry& retry, const Peer& peer) {
  if (peer.heard > retry.since) retry.tries = 0;
  if (++retry.tries > config_.retries && config_.retries != 0xFFFF) return false;
  retry.doublings = std::min(retry.doublings + 1, 4u);
  retry.since = now_;
  retry.at = now_ + (config_.retransmission << retry.doublings);
  return true;
}

void Engine::on_timer(Time now) {
  now_ = now;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) time_peer(static_cast<std::uint16_t>(rank));
  const std::vector<std::uint16_t> active = active_;
  for (const std::uint16_t handle : active) time_request(handle);
  deal_out();
  drain_loop();
}

void Engine::time_peer(std::uint16_t rank) {
  Peer& peer = peers_[rank];
  if (peer.retry.at <= now_) {
    if (!try_again(peer.retry, peer)) return fail_peer(rank);
    for (const Sent& sent : peer.sent) emit(rank, sent.header, sent.data);
    counters_.sent_again += peer.sent.size();
    if (peer.sent.empty()) press(rank);
  }
  if (peer.ack_at <= now_) emit_ack(rank);
}

void Engine::time_request(std::uint16_t handle) {
  Request& request = requests_[handle];
  if (request.retry.at > now_) return;
  const bool is_send = request.state == State::rendezvous;
  const std::uint16_t rank = is_send ? request.envelope.peer : request.result.source;
  if (!try_again(request.retry, peers_[rank])) return finish(request, POLYLOOM_NO_RESPONSE);
  if (is_send) {
    emit(rank, header_of(request, handle), {});
  } else {
    grant(handle, Kind::resume);
  }
}

// The rank is silent: what waits for it ends with an error, and later sends to it at once.
void Engine::fail_peer(std::uint16_t rank) {
  Peer& peer = peers_[rank];
  peer.dead = true;
  peer.retry.at = peer.ack_at = kNever;
  peer.sent.clear();
  for (const std::uint16_t handle : peer.queue) finish(requests_[handle], POLYLOOM_NO_RESPONSE);
  peer.queue.clear();
  std::erase_if(posted_, [&](std::uint16_t handle) {
    const bool waits = requests_[handle].envelope.peer == rank;
    if (waits) finish(requests_[handle], POLYLOOM_NO_RESPONSE);
    return waits;
  });
  for (Request& request : requests_) {
    const bool sends = request.state == State::rendezvous && request.envelope.peer == rank;
    const bool receives = request.state == State::receiving && request.result.source == rank;
    if (sends || receives) finish(request, POLYLOOM_NO_RESPONSE);
  }
}

Time Engine::next_timer() const {
  Time next = kNever;
  for (const Peer& peer : peers_) next = std::min({next, peer.retry.at, peer.ack_at});
  for (const std::uint16_t handle : active_) next = std::min(next, requests_[handle].retry.at);
  if (!ready_.empty()) next = std::min(next, pace_.next());
  return next;
}

bool Engine::quiet() const {
  const auto has_none = [](const Peer& peer) {
    return peer.sent.empty() && peer.queue.empty() && peer.open == 0;
  };
  return std::all_of(peers_.begin(), peers_.end(), has_none);
}

std::optional<Envelope> Engine::open_send() const {
  for (const Request& request : requests_) {
    const bool open = request.state == State::queued || request.state == State::rendezvous;
    if (open && request.envelope.comm != POLYLOOM_SYSTEM) return request.envelope;
  }
  return std::nullopt;
}

void Engine::drain_loop() {
  if (looping_) return;
  looping_ = true;
  while (!loop_.empty()) {
    const Unexpected packet = std::move(loop_.front());
    loop_.pop_front();
    on_packet(packet.header, packet.data, now_);
  }
  looping_ = false;
}

}  // namespace polyloom::mpi
