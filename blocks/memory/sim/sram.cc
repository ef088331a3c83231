// SPDX-License-Identifier: Apache-2.0
#include "blocks/memory/sim/sram.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <numeric>
#include <string>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

void sram_needs(bool ok, const std::string& what) {
  if (!ok) throw UserError("SRAM parameters: " + what);
}

}  // namespace

SramParams SramParams::qdr2(unsigned line_bytes) {
  SramParams p;
  p.request_bytes = line_bytes;
  p.rest_after = 2;
  return p;
}

Sram::Sram(const SramParams& params, MemoryBus* bus) : p_(params), bus_(bus ? bus : &own_bus_) {
  sram_needs(p_.core_hz > 0 && p_.memory_hz > 0, "clocks must be above 0 Hz");
  sram_needs(p_.beat_bytes > 0 && p_.bus_beat_bytes > 0 && p_.request_bytes > 0, "sizes must be above 0");
  sram_needs(p_.request_bytes % p_.beat_bytes == 0 && p_.request_bytes % p_.bus_beat_bytes == 0,
             "request_bytes must be a multiple of both beats");
  sram_needs(p_.queue >= 1 && p_.queue <= 4096 && p_.port_queue <= 64, "queue is 1..4096, port_queue 0..64");
  const std::uint64_t g = std::gcd(p_.core_hz, p_.memory_hz);
  core_units_ = static_cast<Tick>(p_.memory_hz / g);
  clock_units_ = static_cast<Tick>(p_.core_hz / g);
  beats_ = p_.request_bytes / p_.beat_bytes;
  bus_beats_ = p_.request_bytes / p_.bus_beat_bytes;
  for (Port& port : ports_) {
    port.held.resize(p_.port_queue + 1);
    port.done.resize(std::bit_ceil(2 * (p_.queue + p_.port_queue + 2)));
    port.mask = static_cast<unsigned>(port.done.size()) - 1;
  }
  last_leave_ = -clock_units_;
  leave_.assign(p_.queue, std::numeric_limits<Tick>::min());
}

bool Sram::submit(Cycle c, std::uint64_t addr, bool write, std::uint32_t id) {
  assert(c >= last_submit_ && c >= reached_ && "requests must be offered in order of time");
  last_submit_ = c;
  const Tick now = static_cast<Tick>(c) * core_units_;
  if (full(c) || !bus_->free(c)) {
    ++counters_.refused;
    return false;
  }
  bus_->take(c, write ? bus_beats_ : 1);
  Port& port = ports_[write];
  const Port& other = ports_[!write];
  const std::uint64_t line = addr / p_.request_bytes;

  Tick leave = now + static_cast<Tick>(p_.front_cycles + (write ? bus_beats_ - 1 : 0)) * core_units_;
  leave = std::max(leave, last_leave_ + clock_units_);
  leave = std::max(leave, port.held[port.next].start);  // until then its port's queue is full
  Tick start = std::max(leave, port.free_at);
  if (other.filter[line % other.filter.size()] != 0) {
    for (const Held& h : other.held) {
      if (h.line == line) start = std::max(start, h.end);
    }
  }
  const Tick end = start + static_cast<Tick>(beats_) * clock_units_;
  Held& place = port.held[port.next];
  if (place.end != 0) --port.filter[place.line % port.filter.size()];  // it holds a request
  ++port.filter[line % port.filter.size()];
  place = {line, start, end};
  port.next = port.next + 1 == port.held.size() ? 0 : port.next + 1;
  port.free_at = end;
  if (++port.since_rest == p_.rest_after) {
    port.since_rest = 0;
    port.free_at += clock_units_;
  }
  leave_[leave_next_] = last_leave_ = leave;
  leave_next_ = leave_next_ + 1 == leave_.size() ? 0 : leave_next_ + 1;

  // Reads and writes are reported with the same delay, so that same-line requests are reported in order.
  const Tick out = end + static_cast<Tick>(p_.latency) * clock_units_;
  const Cycle done = static_cast<Cycle>((out + core_units_ - 1) / core_units_) + p_.back_cycles;
  push_done(port, done, id);
  ++(write ? counters_.writes : counters_.reads);
  return true;
}

void Sram::push_done(Port& port, Cycle cycle, std::uint32_t id) {
  if (port.count() == port.done.size()) {
    std::vector<Done> larger(port.done.size() * 2);
    const unsigned count = port.count();
    for (unsigned i = 0; i < count; ++i) larger[i] = port.done[(port.head + i) & port.mask];
    port.done.swap(larger);
    port.head = 0;
    port.tail = count;
    port.mask = static_cast<unsigned>(port.done.size()) - 1;
  }
  port.done[port.tail++ & port.mask] = {cycle, id};
}

/// The port whose oldest request is served first; on a tie the reads'. Same-line requests on both ports keep
/// their order: the later one starts after the earlier one's end.
Sram::Port* Sram::next_done() {
  Port& reads = ports_[0];
  Port& writes = ports_[1];
  if (reads.count() == 0) return writes.count() == 0 ? nullptr : &writes;
  if (writes.count() == 0) return &reads;
  return writes.done[writes.head & writes.mask].cycle < reads.done[reads.head & reads.mask].cycle ? &writes
                                                                                                  : &reads;
}

Cycle Sram::next_event() const {
  Cycle next = kNeverCycle;
  for (const Port& port : ports_) {
    if (port.count() != 0) next = std::min(next, port.done[port.head & port.mask].cycle);
  }
  return next;
}

void Sram::digest(fabric::Digest& d) const {
  d.add(counters_.reads);
  d.add(counters_.writes);
  for (const Port& port : ports_) {
    for (unsigned i = port.head; i != port.tail; ++i) d.add(port.done[i & port.mask].cycle);
  }
}

}  // namespace polyloom::blocks
