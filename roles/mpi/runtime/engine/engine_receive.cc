// SPDX-License-Identifier: Apache-2.0
// The receiving half of the engine: order, matching, the receiver's side of a rendezvous.
#include <algorithm>
#include <cstring>

#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi {

// True for the envelope that is next in order; every other is answered at once.
bool Engine::accept(const Header& header) {
  Peer& peer = peers_[header.source];
  if (header.seq != peer.accepted) return false;
  ++peer.accepted;
  ++counters_.envelopes_accepted;
  counters_.system += header.source == config_.size;
  return true;
}

int Engine::find_posted(const Header& h) {
  for (auto at = posted_.begin(); at != posted_.end(); ++at) {
    if (!requests_[*at].envelope.takes(h)) continue;
    const int handle = *at;
    posted_.erase(at);
    return handle;
  }
  return -1;
}

void Engine::on_eager(const Header& header, Bytes payload) {
  if (header.length > config_.eager_bytes) return;
  if (!accept(header)) {
    ++counters_.not_in_order;
    return emit_ack(header.source);
  }
  const int handle = find_posted(header);
  if (handle >= 0) {
    deliver(static_cast<unsigned>(handle), header, payload);
    return freed(header.source);
  }
  put_aside(header, payload);
}

// No receive wants it yet.
void Engine::put_aside(const Header& header, Bytes payload) {
  if (spare_.empty()) spare_.emplace_back();
  Unexpected& place = spare_.front();
  Peer& peer = peers_[header.source];
  place.header = header;
  place.data.assign(payload.begin(), payload.end());
  place.aside = peer.aside < config_.places;
  unexpected_.splice(unexpected_.end(), spare_, spare_.begin());
  if (!place.aside) return report_later(header.source);
  ++peer.aside;
  freed(header.source);
}

void Engine::on_rts(const Header& header) {
  if (!accept(header)) return on_old_rts(header);
  const int handle = find_posted(header);
  if (handle >= 0) {
    freed(header.source);
    return deliver(static_cast<unsigned>(handle), header, {});
  }
  put_aside(header, {});
}

void Engine::on_old_rts(const Header& header) {
  ++counters_.not_in_order;
  const auto ahead = static_cast<std::uint16_t>(header.seq - peers_[header.source].accepted);
  const auto is_it = [&](const Unexpected& u) {
    return u.header.kind == Kind::rts && u.header.source == header.source && u.header.seq == header.seq;
  };
  if (ahead < std::max(config_.credits, config_.most_envelopes) ||
      std::any_of(unexpected_.begin(), unexpected_.end(), is_it)) {
    return emit_ack(header.source);
  }
  for (const std::uint16_t handle : active_) {
    const Request& r = requests_[handle];
    if (r.state == State::receiving && r.result.source == header.source && r.seq == header.seq) {
      return grant(handle, Kind::resume);
    }
  }
  Request gone;
  gone.seq = header.seq;
  emit_control(header.source, Kind::done, gone, kNoHandle, static_cast<std::uint16_t>(header.offset));
}

// Gives a message to the receive that it matches.
void Engine::deliver(unsigned handle, const Header& header, Bytes payload) {
  Request& request = requests_[handle];
  request.result = {POLYLOOM_OK, header.type, header.source, header.tag, header.length};
  // A message without data has no type: it matches every receive.
  const bool differs = request.envelope.type != 0 && header.type != 0 && header.length != 0 &&
                       request.envelope.type != header.type;
  request.result.error = differs                         ? POLYLOOM_TYPE_DIFFERS
                         : header.length > request.bytes ? POLYLOOM_TRUNCATED
                                                         : POLYLOOM_OK;
  if (header.kind == Kind::rts) return begin_rendezvous(handle, header);
  const std::size_t bytes = differs ? 0 : std::min<std::size_t>(payload.size(), request.bytes);
  if (bytes > 0) std::memcpy(request.data, payload.data(), bytes);
  counters_.bytes_in += bytes;
  finish(request, request.result.error);
}

void Engine::begin_rendezvous(unsigned handle, const Header& header) {
  Request& request = requests_[handle];
  request.seq = header.seq;
  request.other = static_cast<std::uint16_t>(header.offset);
  if (request.result.error != POLYLOOM_OK || header.length == 0) {
    finish(request, request.result.error);
    return emit_control(header.source, Kind::done, request, kNoHandle, request.other);
  }
  request.state = State::receiving;
  activate(handle);
  start_retry(request.retry);
  grant(handle, Kind::cts);
}

// CTS or RESUME: limits never fall.
void Engine::grant(unsigned handle, Kind kind) {
  Request& request = requests_[handle];
  const std::uint32_t left = request.result.bytes - request.position;
  request.limit = std::max(request.limit, request.position + std::min(left, config_.window));
  request.granted_at = request.position;
  emit_control(request.result.source, kind, request, static_cast<std::uint16_t>(handle), request.other);
}

void Engine::emit_control(std::uint16_t to, Kind kind, const Request& request, std::uint16_t receiver,
                          std::uint16_t sender) {
  Header h;
  h.kind = kind;
  h.seq = request.seq;
  h.tag = handles(receiver, sender);
  if (kind != Kind::done) h.length = request.limit;
  if (kind == Kind::resume) h.offset = request.position;
  emit(to, h, {});
}

void Engine::on_data(const Header& header, Bytes payload) {
  const std::uint16_t handle = receiver_handle(header.tag);
  if (handle >= requests_.size()) return;
  Request& request = requests_[handle];
  const bool same = request.state == State::receiving && request.result.source == header.source &&
                    request.seq == header.seq && request.result.bytes == header.length;
  if (!same || header.offset < request.position) return;
  if (header.offset > request.position) {
    ++counters_.not_in_order;
    if (!request.gap) grant(handle, Kind::resume);
    request.gap = true;
    return;
  }
  std::memcpy(request.data + request.position, payload.data(), payload.size());
  request.position += static_cast<std::uint32_t>(payload.size());
  counters_.bytes_in += payload.size();
  request.gap = false;
  if (request.position == request.result.bytes) {
    finish(request, POLYLOOM_OK);
    return emit_control(header.source, Kind::done, request, handle, request.other);
  }
  start_retry(request.retry);
  if (request.limit < request.result.bytes && request.position - request.granted_at >= config_.window / 2) {
    grant(handle, Kind::cts);
  }
}

// A place for an envelope of that rank is free again.
void Engine::freed(std::uint16_t from) {
  Peer& peer = peers_[from];
  ++peer.freed;
  const auto news = static_cast<std::uint16_t>(peer.freed - peer.reported_freed);
  if (news >= std::max(1, config_.credits / 2)) return emit_ack(from);
  report_later(from);
}

void Engine::report_later(std::uint16_t to) {
  Peer& peer = peers_[to];
  peer.ack_at = std::min(peer.ack_at, now_ + config_.ack_delay);
}

}  // namespace polyloom::mpi
