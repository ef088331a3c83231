// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/switch.h"

#include <stdexcept>

#include "roles/hub/arch/window.h"

namespace polyloom::hub {

using fabric::Time;

namespace {

constexpr unsigned kNorth = static_cast<unsigned>(Port::north), kEast = static_cast<unsigned>(Port::east),
                   kSouth = static_cast<unsigned>(Port::south), kWest = static_cast<unsigned>(Port::west);
constexpr unsigned kBeatWords = 2;
constexpr std::size_t kOutputBeats = 2;
constexpr unsigned kLocalSlots = 4, kReplySlots = 2;
constexpr std::uint64_t kRuleMask = 0x7fff;
constexpr const char* kPortNames[] = {"N", "E", "S", "W", "L", "reply"};

bool ring(unsigned output) { return output == kEast || output == kWest; }
/// The queue of an input in which a packet for this output waits.
unsigned queue_of(unsigned input, unsigned output) {
  if (input == kSouth || input == kReply || !ring(output)) return 0;
  return output == kEast ? 1 : 2;
}
bool enters(unsigned input) { return input != kEast && input != kWest; }

}  // namespace

Switch::Switch(std::string name, const HubParams& params, std::array<blocks::WireEnds, kLinks> links,
               LocalSide& local)
    : name_(std::move(name)), p_(params), local_(local) {
  for (unsigned port = 0; port < kLinks; ++port) {
    links_.push_back({blocks::LaneRx(links[port].rx, kBeatWords), blocks::LaneTx(links[port].tx, 0)});
    outputs_[port].credits = p_.slots;
    if (links[port].tx != nullptr) present |= 1u << port;
  }
}

/// The output whose rules hold the address.
Cause Switch::match(std::uint64_t address, unsigned& output) const {
  if (address >= kWindowBytes) return Cause::unmapped;
  const std::uint64_t part = address >> kRuleShift & kRuleMask;
  unsigned found = 0;
  for (unsigned port = 0; port < kPorts; ++port) {
    for (const std::uint64_t rule : rules[port]) {
      const std::uint64_t seen = part & (rule >> 32 & kRuleMask);
      if (rule >> 63 == 0 || seen < (rule & kRuleMask) || seen > (rule >> 16 & kRuleMask)) continue;
      output = port;
      ++found;
      break;
    }
  }
  return found == 0 ? Cause::unmapped : found > 1 ? Cause::overlap : Cause::none;
}

Switch::Route Switch::route(const TlpHeader& h, unsigned in) const {
  const bool write = h.type == TlpType::memory_write, read = h.type == TlpType::memory_read,
             completion = h.type == TlpType::completion;
  Route r{.stream = write && (h.address >> 28 & 31) == 1, .address = h.address};
  const auto refuse = [&](Cause cause) {
    r.cause = cause;
    return r;
  };
  if (!write && !read && !completion) return refuse(Cause::malformed);
  if (h.length == 0 || h.length > (read ? kReadBytes : p_.max_payload)) return refuse(Cause::malformed);
  if (!completion && h.address % kPage + h.length > kPage) return refuse(Cause::malformed);
  if (h.poisoned && !completion) return refuse(Cause::poisoned);
  if (in == kReply ? write : in != kNorth && !write) return refuse(Cause::refused);
  if (in == kReply) {
    r.output = kNorth;
  } else if (completion) {
    r.output = kLocalPort;
  } else if (const Cause cause = match(h.address, r.output); cause != Cause::none) {
    return refuse(cause);
  }
  if (read && in == kNorth && r.output != kLocalPort) return refuse(Cause::refused);
  if (r.output == in && in != kNorth && in != kLocalPort) return refuse(Cause::u_turn);
  if (r.output != kLocalPort && (present >> r.output & 1) == 0) return refuse(Cause::absent);
  r.stream = r.stream && r.output == kLocalPort;
  return r;
}

void Switch::fault(Cause cause, unsigned in, std::uint64_t address) {
  ++drops_[static_cast<unsigned>(cause)];
  if ((status_ & 0xff) != 0) {
    status_ |= std::uint64_t{1} << 12;
  } else {
    status_ |= static_cast<std::uint64_t>(cause) | std::uint64_t{in} << 8 | address << 16;
  }
}

void Switch::clear() {
  status_ = 0;
  drops_.fill(0);
  if (noted_) fault(last_cause_, last_in_, last_address_);
}

bool Switch::step(Cycle k, Time t, Time next) {
  noted_ = false;
  Moves m;
  look(m, t, next);
  bool changed = grant(m);
  changed |= drop(m);
  changed |= move(m, k, t);
  changed |= receive(m, k, t);
  return changed;
}

/// Which beats move, and which packets are then in front.
void Switch::look(Moves& m, Time t, Time next) {
  for (unsigned o = 0; o < kPorts; ++o) {
    const Output& out = outputs_[o];
    if (!out.buffer.empty())
      m.sent[o] = o == kLocalPort ? local_.takes_beat(out.buffer.front().first, out.buffer.front().second)
                                  : links_[o].tx.ready(t, next);
    if (out.granted < 0 || out.buffer.size() == kOutputBeats) continue;
    const auto i = static_cast<unsigned>(out.granted);
    const unsigned q = queue_of(i, o);
    const Queue& queue = inputs_[i].queues[q];
    if (!queue.active || queue.beats.empty()) continue;
    m.source[o] = out.granted;
    m.pop[i][q] = true;
    m.ends[o] = m.last_out[i][q] = queue.beats.front().last;
  }
  for (unsigned i = 0; i < kInputs; ++i) {
    const Input& in = inputs_[i];
    for (unsigned q = 0; q < kQueues; ++q) {
      const Queue& queue = in.queues[q];
      if (queue.active && queue.dropping && !queue.beats.empty()) {
        m.pop[i][q] = true;
        m.last_out[i][q] = queue.beats.front().last;
      }
      m.front[i][q] = !queue.routes.empty() && (!queue.active || m.last_out[i][q]);
    }
    m.room[i] = in.inside || in.held < (i == kReply ? kReplySlots : kLocalSlots);
  }
}

bool Switch::grant(Moves& m) {
  bool changed = false;
  for (unsigned o = 0; o < kPorts; ++o) {
    Output& out = outputs_[o];
    if (out.granted >= 0 && !m.ends[o]) continue;
    changed |= m.ends[o];
    out.granted = -1;
    for (unsigned n = 1; n <= kInputs; ++n) {
      const unsigned i = (out.last + n) % kInputs;
      const unsigned q = queue_of(i, o);
      if (!m.front[i][q]) continue;
      const Route& r = inputs_[i].queues[q].routes.front();
      if (r.cause != Cause::none || r.output != o) continue;
      if (o != kLocalPort && out.credits < (ring(o) && enters(i) ? 2u : 1u)) continue;
      if (r.stream && i == kNorth && !local_.stream_room()) continue;
      out.granted = static_cast<int>(i);
      out.last = i;
      if (o != kLocalPort) --out.credits;
      m.granted[i][q] = changed = true;
      break;
    }
  }
  return changed;
}

/// One fault an edge is noted, the lowest input's first.
bool Switch::drop(Moves& m) {
  for (unsigned i = 0; i < kInputs; ++i) {
    if (!m.front[i][0]) continue;
    const Route& r = inputs_[i].queues[0].routes.front();
    if (r.cause == Cause::none) continue;
    fault(r.cause, i, r.address);
    noted_ = true;
    last_cause_ = r.cause, last_in_ = i, last_address_ = r.address;
    ++count(i, Counter::drops);
    m.dropped[i][0] = true;
    return true;
  }
  return false;
}

bool Switch::move(const Moves& m, Cycle k, Time t) {
  bool changed = false;
  for (unsigned o = 0; o < kPorts; ++o) {
    Output& out = outputs_[o];
    if (m.sent[o]) {
      const auto& [beat, source] = out.buffer.front();
      if (o == kLocalPort) {
        local_.beat(k, beat, source);
      } else {
        links_[o].tx.push(t, beat.lane());
        seen_.add(k << 4 | o);
        seen_.add(beat.data[0]);
      }
      out.buffer.pop_front();
      changed = true;
    }
    // A link that is slower than the hub gets ready without any event here.
    changed |= !out.buffer.empty() && o != kLocalPort;
  }
  for (unsigned i = 0; i < kInputs; ++i) {
    Input& in = inputs_[i];
    if (in.pulse && i < kLinks) links_[i].tx.pulse(t);
    changed |= in.pulse;
    in.stalled = false;
    for (unsigned q = 0; q < kQueues; ++q) {
      Queue& queue = in.queues[q];
      changed |= m.pop[i][q];
      const bool begins = m.granted[i][q] || m.dropped[i][q];
      in.stalled |= m.front[i][q] && !begins && queue.routes.front().cause == Cause::none;
      if (begins) queue.routes.pop_front();
      queue.active = begins || (queue.active && !m.last_out[i][q]);
      if (begins) queue.dropping = m.dropped[i][q];
      in.held -= m.last_out[i][q];
      in.left += m.last_out[i][q];
    }
    in.pulse = in.left != 0;
    in.left -= in.pulse;
    if (in.stalled) ++count(i, Counter::stalls);
  }
  for (unsigned o = 0; o < kPorts; ++o) {
    if (m.source[o] < 0) continue;
    const auto i = static_cast<unsigned>(m.source[o]);
    outputs_[o].buffer.emplace_back(inputs_[i].queues[queue_of(i, o)].beats.front(), i);
    ++count(o, Counter::beats_out);
    if (m.ends[o]) ++count(o, Counter::tlps_out);
  }
  for (unsigned i = 0; i < kInputs; ++i) {
    for (unsigned q = 0; q < kQueues; ++q) {
      if (m.pop[i][q]) inputs_[i].queues[q].beats.pop_front();
    }
  }
  return changed;
}

/// What comes at this edge shows in the registers after it.
bool Switch::receive(const Moves& m, Cycle k, Time t) {
  bool changed = false;
  for (unsigned i = 0; i < kInputs; ++i) {
    Input& in = inputs_[i];
    changed |= in.fresh;
    put(i);
    if (i >= kLinks) {
      const Beat* beat = m.room[i] ? local_.offer(i) : nullptr;
      if (beat == nullptr) continue;
      take(k, i, *beat);
      local_.taken(i);
      changed = true;
      continue;
    }
    blocks::LaneRx& rx = links_[i].rx;
    rx.collect(t);
    if (rx.pulse()) {
      rx.pop_pulse();
      ++outputs_[i].credits;
      changed = true;
    }
    if (const blocks::LaneBeat* beat = rx.beat()) {
      take(k, i, Beat::from(*beat));
      rx.pop_beat();
      changed = true;
    }
  }
  return changed;
}

void Switch::take(Cycle k, unsigned i, const Beat& beat) {
  Input& in = inputs_[i];
  if (!in.inside) {
    if (in.held == p_.slots && i < kLinks) {
      throw std::logic_error(name_ + ": more packets came in by " + kPortNames[i] + " than there are slots");
    }
    ++in.held;
    ++count(i, Counter::tlps_in);
  }
  in.fresh = true;
  in.fresh_header = !in.inside;
  in.beat = beat;
  in.inside = !beat.last;
  ++count(i, Counter::beats_in);
  seen_.add(k << 4 | 8 | i);
}

/// What came at the last edge goes to its queue.
void Switch::put(unsigned i) {
  Input& in = inputs_[i];
  if (!in.fresh) return;
  in.fresh = false;
  if (in.fresh_header) {
    const Route r = route(TlpHeader::from(in.beat.data[0], in.beat.data[1]), i);
    in.queue = r.cause == Cause::none ? queue_of(i, r.output) : 0;
    in.queues[in.queue].routes.push_back(r);
  }
  in.queues[in.queue].beats.push_back(in.beat);
}

void Switch::flush(Time until) {
  for (Link& link : links_) link.tx.flush(until);
}

Time Switch::next_arrival() const {
  Time next = fabric::kNever;
  for (const Link& link : links_) next = std::min(next, link.rx.next_arrival());
  return next;
}

Time Switch::next_departure() const {
  Time next = fabric::kNever;
  for (const Link& link : links_) next = std::min(next, link.tx.next_event());
  return next;
}

void Switch::skipped(Cycle edges) {
  for (unsigned i = 0; i < kInputs; ++i) {
    if (inputs_[i].stalled) count(i, Counter::stalls) += edges;
  }
}

std::uint64_t Switch::counter(unsigned port, Counter which) const {
  return counts_[port][static_cast<unsigned>(which)] & ((std::uint64_t{1} << 40) - 1);
}

std::uint64_t Switch::beats() const {
  std::uint64_t sum = 0;
  for (unsigned port = 0; port < kPorts; ++port)
    sum += counter(port, Counter::beats_in) + counter(port, Counter::beats_out);
  return sum;
}

std::string Switch::waiting_for() const {
  std::string text;
  for (unsigned i = 0; i < kInputs; ++i) {
    for (const Queue& queue : inputs_[i].queues) {
      if (queue.routes.empty()) continue;
      text += (text.empty() ? "" : "; ") + std::to_string(queue.routes.size()) + " packets at " +
              kPortNames[i] + " wait for " + kPortNames[queue.routes.front().output];
    }
  }
  return text;
}

void Switch::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  static constexpr const char* kNames[] = {"tlps_in", "tlps_out", "beats_in", "beats_out", "stalls", "drops"};
  for (unsigned port = 0; port < kPorts; ++port) {
    for (unsigned c = 0; c < std::size(kNames); ++c) {
      sink(prefix + kPortNames[port] + "." + kNames[c], counts_[port][c]);
    }
  }
}

void Switch::digest(fabric::Digest& digest) const {
  digest.add(seen_.value());
  digest.add(status_);
  for (const Counts& counts : counts_) {
    for (const std::uint64_t n : counts) digest.add(n);
  }
  for (const Output& out : outputs_) digest.add(out.credits);
}

}  // namespace polyloom::hub
