// SPDX-License-Identifier: Apache-2.0
// The sending half of the engine: numbering, credits, retransmission, the sender's side of a rendezvous.
#include <algorithm>

#include "roles/kernel/runtime/engine/engine.h"

namespace polyloom::mpi {
namespace {

std::uint16_t ahead(std::uint16_t a, std::uint16_t b) { return static_cast<std::uint16_t>(a - b); }

}  // namespace

// A number may be used again only when no open rendezvous can be taken for its bearer.
bool Engine::may_number(std::uint16_t to) const {
  const Peer& peer = peers_[to];
  if (ahead(peer.next, peer.consumed) >= config_.credits) return false;
  if (peer.open == 0) return true;
  return std::none_of(active_.begin(), active_.end(), [&](std::uint16_t handle) {
    const Request& r = requests_[handle];
    return r.state == State::rendezvous && r.envelope.peer == to && ahead(peer.next, r.seq) >= 0x8000;
  });
}

void Engine::send_queue(std::uint16_t to) {
  Peer& peer = peers_[to];
  while (!peer.queue.empty() && may_number(to)) {
    const std::uint16_t handle = peer.queue.front();
    peer.queue.pop_front();
    send_envelope(handle);
  }
}

Header Engine::header_of(const Request& request, std::uint16_t handle) const {
  const bool is_eager = !request.synchronous && request.bytes <= config_.eager_bytes;
  Header h;
  h.kind = is_eager ? Kind::eager : Kind::rts;
  h.type = request.envelope.type;
  h.seq = request.seq;
  h.tag = request.envelope.tag;
  h.comm = request.envelope.comm;
  h.length = request.bytes;
  h.offset = is_eager ? 0 : handle;
  return h;
}

void Engine::send_envelope(std::uint16_t handle) {
  Request& request = requests_[handle];
  const std::uint16_t to = request.envelope.peer;
  Peer& peer = peers_[to];
  request.seq = peer.next++;
  request.result = {POLYLOOM_OK, request.envelope.type, to, request.envelope.tag, request.bytes};
  const Header header = header_of(request, handle);
  Sent sent{header, {}};
  if (header.kind == Kind::eager) {
    sent.data.assign(request.data, request.data + request.bytes);
    finish(request, POLYLOOM_OK);
  } else {
    request.state = State::rendezvous;
    ++peer.open;
    activate(handle);
  }
  ++counters_.envelopes_sent;
  counters_.system += to == config_.size;
  peer.sent.push_back(std::move(sent));
  if (peer.sent.size() == 1) start_retry(peer.retry);
  emit(to, header, peer.sent.back().data);
}

// `ack` and `credit` of a packet from that rank.
void Engine::take_news(std::uint16_t from, const Header& header) {
  Peer& peer = peers_[from];
  const std::uint16_t accepted = ahead(header.ack, peer.acked);
  if (accepted > 0 && accepted <= ahead(peer.next, peer.acked)) {
    peer.acked = header.ack;
    for (unsigned i = 0; i < accepted; ++i) {
      const Header& h = peer.sent.front().header;
      const bool is_open = h.kind == Kind::rts && requests_[h.offset].state == State::rendezvous &&
                           requests_[h.offset].envelope.peer == from && requests_[h.offset].seq == h.seq;
      if (is_open && requests_[h.offset].retry.at == kNever) start_retry(requests_[h.offset].retry);
      peer.sent.pop_front();
    }
    if (peer.sent.empty()) {
      peer.retry = {};
    } else {
      start_retry(peer.retry);
    }
  }
  const std::uint16_t consumed = ahead(header.credit, peer.consumed);
  if (consumed > 0 && consumed <= ahead(peer.next, peer.consumed)) {
    peer.consumed = header.credit;
    send_queue(from);
  }
}

Engine::Request* Engine::find_sender(const Header& header) {
  const std::uint16_t handle = sender_handle(header.tag);
  if (handle >= requests_.size()) return nullptr;
  Request& r = requests_[handle];
  const bool same = r.state == State::rendezvous && r.envelope.peer == header.source && r.seq == header.seq;
  return same ? &r : nullptr;
}

// CTS, RESUME and DONE.
void Engine::on_grant(const Header& header) {
  Request* request = find_sender(header);
  if (request == nullptr) return;  // it is long complete
  if (header.kind == Kind::done) return finish(*request, POLYLOOM_OK);
  const bool sane =
      header.length <= request->bytes && header.offset < request->bytes && header.offset % 8 == 0;
  if (!sane) return;
  start_retry(request->retry);
  request->other = receiver_handle(header.tag);
  request->limit = std::max(request->limit, header.length);
  if (header.kind == Kind::resume) request->position = header.offset;
  send_data(sender_handle(header.tag));
}

void Engine::send_data(std::uint16_t handle) {
  Request& request = requests_[handle];
  Header h;
  h.kind = Kind::data;
  h.type = request.envelope.type;
  h.seq = request.seq;
  h.tag = handles(request.other, handle);
  h.length = request.bytes;
  while (request.position < request.limit) {
    const std::uint32_t piece = std::min<std::uint32_t>(kMaxPayload, request.limit - request.position);
    h.offset = request.position;
    request.position += piece;
    emit(request.envelope.peer, h, {request.data + h.offset, piece});
  }
}

void Engine::emit_ack(std::uint16_t to) {
  Header h;
  h.kind = Kind::ack;
  emit(to, h, {});
}

// Every packet carries the news that its receiver may want.
void Engine::emit(std::uint16_t to, Header header, Bytes payload) {
  Peer& peer = peers_[to];
  header.job = config_.job;
  header.source = config_.rank;
  header.destination = to;
  header.ack = peer.told_accepted = peer.accepted;
  header.credit = peer.told_freed = peer.freed;
  peer.ack_at = kNever;
  ++counters_.packets_out;
  counters_.bytes_out += payload.size();
  if (to == config_.rank) {
    loop_.push_back({header, {payload.begin(), payload.end()}});
  } else {
    sink_.send(to, header, payload);
  }
}

}  // namespace polyloom::mpi
