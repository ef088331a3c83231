// SPDX-License-Identifier: Apache-2.0
// What an engine will do next depends on this and on time only: for tests that visit each state once.
#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi {
namespace {

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  template <typename... T>
  void numbers(T... values) {
    (add(static_cast<std::uint64_t>(values)), ...);
  }
  void header(const Header& h) {
    numbers(h.kind, h.type, h.source, h.seq, h.tag, h.comm, h.length, h.offset);
  }

 private:
  void add(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  std::string& out_;
};

}  // namespace

// Of times it says only which timers run. Bytes of messages follow from the programs that sent them.
void Engine::write_state(std::string& out) const {
  Writer w(out);
  for (const Peer& p : peers_) {
    w.numbers(p.next, p.acked, p.consumed, p.accepted, p.freed, p.reported_accepted, p.reported_freed,
              p.aside, p.open);
    w.numbers(p.dead, p.retry.at != kNever, p.ack_at != kNever, p.sent.size(), p.queue.size());
    for (const Sent& s : p.sent) w.header(s.header);
    for (const std::uint16_t handle : p.queue) w.numbers(handle);
  }
  for (const Request& r : requests_) {
    w.numbers(r.state);
    if (r.state == State::unused) continue;
    w.numbers(r.result.error, r.result.type, r.result.source, r.result.tag, r.result.bytes);
    if (r.state == State::complete) continue;
    w.numbers(r.synchronous, r.gap, r.envelope.peer, r.envelope.tag, r.envelope.comm, r.envelope.type);
    w.numbers(reinterpret_cast<std::uintptr_t>(r.data), r.bytes, r.seq, r.other, r.position, r.limit,
              r.granted_at, r.retry.at != kNever);
  }
  w.numbers(unused_.size(), active_.size(), posted_.size(), unexpected_.size());
  for (const std::uint16_t handle : unused_) w.numbers(handle);
  for (const std::uint16_t handle : active_) w.numbers(handle);
  for (const std::uint16_t handle : posted_) w.numbers(handle);
  for (const Unexpected& u : unexpected_) {
    w.header(u.header);
    w.numbers(u.aside);
  }
}

}  // namespace polyloom::mpi
