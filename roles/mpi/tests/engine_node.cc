// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/tests/engine_node.h"

#include <algorithm>

#include "roles/mpi/sim/address.h"

namespace polyloom::mpi::testing {

using fabric::Time;
namespace {

constexpr Time kRequestAgain = 50'000'000, kLookAgain = 10'000'000;
constexpr std::uint16_t kOwnManagementPort = 40000;

mpi::Endpoint endpoint(int node, std::uint16_t port) { return {mac_of_node(node), ip_of_node(node), port}; }

}  // namespace

EngineNode::EngineNode(fabric::Port port, const mpi::Config& config, std::vector<Write> set_up)
    : port_(port),
      engine_(config, *this),
      own_(endpoint(0, mpi::kMpiPort)),
      peer_(endpoint(1, mpi::kMpiPort)) {
  for (Write& w : set_up) {
    requested_.push_back({mpi::ManagementOp::write, static_cast<std::uint8_t>(w.values.size()), ++seq_,
                          w.first, std::move(w.values)});
  }
}

void EngineNode::send(std::uint16_t to, const mpi::Header& header, mpi::Bytes payload) {
  if (to != 1) return;
  std::vector<std::byte> datagram;
  mpi::write_packet(header, payload, datagram);
  out_.emplace_back(now_, mpi::add_check(mpi::write_datagram(own_, peer_, datagram)));
}

void EngineNode::request(Time now) {
  mpi::Endpoint from = own_, to = peer_;
  from.port = kOwnManagementPort;
  to.port = mpi::kManagementPort;
  out_.emplace_back(now,
                    mpi::add_check(mpi::write_datagram(from, to, mpi::write_management(requested_.front()))));
  request_at_ = now + kRequestAgain;
}

void EngineNode::take(const std::vector<std::uint64_t>& words, unsigned keep, Time at) {
  const auto frame = mpi::strip_check(words, keep);
  if (!frame) return;
  const mpi::Frame read = mpi::read_frame(*frame, own_);
  if (!read.datagram) return;
  if (read.datagram->port == kOwnManagementPort) {
    const auto response = mpi::read_management(read.datagram->bytes);
    if (response && !requested_.empty() && response->seq == requested_.front().seq) {
      if (response->op == mpi::ManagementOp::data)
        values.insert(values.end(), response->values.begin(), response->values.end());
      requested_.pop_front();
      request_at_ = at;
    }
  } else if (read.datagram->port == mpi::kMpiPort) {
    const auto packet = mpi::read_packet(read.datagram->bytes);
    if (packet && packet->header.job == engine_.config().job)
      engine_.on_packet(packet->header, packet->payload, at);
  }
}

void EngineNode::act(Time now) {
  now_ = now;
  if (!requested_.empty()) {
    if (request_at_ <= now) request(now);
    return;
  }
  if (!begun_) {
    begun_ = true;
    begin(engine_, now);
  }
  if (engine_.next_timer() <= now) engine_.on_timer(now);
  if (look_at_ <= now) look_at_ = now + kLookAgain;
  if (!done_ && check(engine_, now)) {
    done_ = true;
    for (mpi::Management& m : reads_) {
      m.seq = ++seq_;
      requested_.push_back(std::move(m));
    }
    request_at_ = now;
    if (!requested_.empty()) request(now);
  } else if (done_) {
    stop_ = true;
  }
}

Time EngineNode::next_own() const {
  if (!requested_.empty()) return request_at_;
  return std::min(look_at_, begun_ ? engine_.next_timer() : now_);
}

void EngineNode::advance(Time until) {
  for (;;) {
    const fabric::Segment* front = port_.rx->front();
    Time arrival = fabric::kNever;
    if (front != nullptr)
      arrival = front->words.empty() ? front->first : front->word_time(front->words.size() - 1);
    const Time own = next_own();
    const Time next = std::max(now_, std::min(arrival, own));
    if (next >= until || stop_) break;
    now_ = next;
    if (arrival <= next) {
      const fabric::Segment s = port_.rx->take();
      partial_.insert(partial_.end(), s.words.begin(), s.words.end());
      if (s.tail) {
        take(partial_, s.keep, now_);
        partial_.clear();
      }
    }
    act(now_);
  }
  while (!out_.empty() && std::max(out_.front().first, port_.tx->free_at()) < until) {
    fabric::Segment s;
    s.first = std::max(out_.front().first, port_.tx->free_at());
    s.keep = static_cast<std::uint8_t>(out_.front().second.keep);
    s.words = std::move(out_.front().second.words);
    out_.pop_front();
    port_.tx->send(std::move(s));
  }
}

Time EngineNode::next_event() const {
  if (stop_) return fabric::kNever;
  Time next = next_own();
  if (!out_.empty()) next = std::min(next, std::max(out_.front().first, port_.tx->free_at()));
  return next;
}

}  // namespace polyloom::mpi::testing
