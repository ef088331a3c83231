// SPDX-License-Identifier: Apache-2.0
// The sending half of the engine: numbering, credits, retransmission, the sender's side of a rendezvous.
#include <algorithm>

#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi {
namespace {

std::uint16_t ahead(std::uint16_t a, std::uint16_t b) { return static_cast<std::uint16_t>(a - b); }

}  // namespace

// A number may be used again only when no open rendezvous can be taken for its bearer.
bool Engine::may_number(std::uint16_t to, std::uint16_t most) const {
  const Peer& peer = peers_[to];
  if (ahead(peer.next, peer.consumed) >= most) return false;
  if (peer.open == 0) return true;
  return std::none_of(active_.begin(), active_.end(), [&](std::uint16_t handle) {
    const Request& r = requests_[handle];
    return r.state == State::rendezvous && r.envelope.peer == to && ahead(peer.next, r.seq) >= 0x8000;
  });
}

void Engine::send_queue(std::uint16_t to) {
  Peer& peer = peers_[to];
  while (!peer.queue.empty() && may_number(to, config_.credits)) {
    const std::uint16_t handle = peer.queue.front();
    peer.queue.pop_front();
    send_envelope(handle);
  }
  // What waits for credit must be able to ask for it: the news may have been lost.
  if (!peer.queue.empty() && peer.retry.at == kNever) start_retry(peer.retry);
  if (peer.queue.empty() && peer.sent.empty()) peer.retry = {};
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
    peer.retry = {};
    if (!peer.sent.empty()) start_retry(peer.retry);
  }
  const std::uint16_t consumed = ahead(header.credit, peer.consumed);
  if (consumed > 0 && consumed <= ahead(peer.next, peer.consumed)) {
    peer.consumed = header.credit;
  }
  if (accepted > 0 || consumed > 0) send_queue(from);
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
  const std::uint16_t handle = sender_handle(header.tag);
  const bool goes_back = header.kind == Kind::resume && !is_on_its_way(*request, header.offset);
  if (goes_back) request->position = header.offset;
  const bool begins = std::erase(ready_, handle) == 0 || goes_back;
  if (begins) {
    request->lined_up_at = now_;
    request->turn_at = kNever;
  }
  if (request->position < request->limit) line_up(handle);
  deal_out();
  // A receiver that asks must hear that its sender lives, though others' data go first.
  const auto turn = std::find(ready_.begin(), ready_.end(), handle);
  if (header.kind == Kind::resume && turn != ready_.end() && turn != ready_.begin()) emit_ack(header.source);
}

// The receiver may have lost patience while its message waited for its turn, and have asked for what has left
// since.
bool Engine::is_on_its_way(const Request& request, std::uint32_t offset) const {
  const Time some = config_.retransmission / 2;
  const bool has_begun = request.turn_at != kNever && offset < request.position;
  return has_begun && offset == request.turn_from && now_ - request.turn_at < some &&
         request.turn_at - request.lined_up_at > some;
}

// The message with the least left goes first: so most are early, and none is later than if all took turns.
void Engine::line_up(std::uint16_t handle) {
  const auto left = [this](std::uint16_t h) { return requests_[h].bytes - requests_[h].position; };
  const auto at = std::find_if(ready_.begin(), ready_.end(),
                               [&](std::uint16_t other) { return left(other) > left(handle); });
  ready_.insert(at, handle);
}

void Engine::deal_out() {
  while (!ready_.empty() && pace_.may_send(now_)) {
    const std::uint16_t handle = ready_.front();
    send_piece(handle);
    if (requests_[handle].position == requests_[handle].limit) ready_.pop_front();
  }
}

void Engine::send_piece(std::uint16_t handle) {
  Request& request = requests_[handle];
  Header h;
  h.kind = Kind::data;
  h.type = request.envelope.type;
  h.seq = request.seq;
  h.tag = handles(request.other, handle);
  h.length = request.bytes;
  h.offset = request.position;
  if (request.turn_at == kNever) {
    request.turn_at = now_;
    request.turn_from = request.position;
  }
  const std::uint32_t piece = std::min<std::uint32_t>(kMaxPayload, request.limit - request.position);
  request.position += piece;
  start_retry(request.retry);
  emit(request.envelope.peer, h, {request.data + h.offset, piece});
}

// Credit was waited for in vain: the receiver may want another message first. One more goes as RTS, for which
// it has more room.
void Engine::press(std::uint16_t to) {
  Peer& peer = peers_[to];
  if (peer.queue.empty() || !may_number(to, config_.most_envelopes)) return request_for_credit(to);
  const std::uint16_t handle = peer.queue.front();
  peer.queue.pop_front();
  requests_[handle].synchronous = true;
  send_envelope(handle);
}

// An empty envelope with the number of the last one is out of order, so it is answered at once.
void Engine::request_for_credit(std::uint16_t to) {
  Header h;
  h.kind = Kind::eager;
  h.seq = static_cast<std::uint16_t>(peers_[to].next - 1);
  emit(to, h, {});
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
  header.ack = peer.reported_accepted = peer.accepted;
  header.credit = peer.reported_freed = peer.freed;
  peer.ack_at = kNever;
  ++counters_.packets_out;
  counters_.bytes_out += payload.size();
  if (to == config_.rank) {
    loop_.push_back({header, {payload.begin(), payload.end()}, false});
  } else {
    pace_.sent(payload.size(), now_);
    sink_.send(to, header, payload);
  }
}

}  // namespace polyloom::mpi
