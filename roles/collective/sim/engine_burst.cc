// SPDX-License-Identifier: Apache-2.0
// Many cycles at once: while the streams of a step just flow, the edges at which their beats move follow from
// the memory's first beat, the arrivals that are known and the pace of the wires; bytes then move in pieces.
//
// When: a step is active, nothing but whole beats inside of blocks arrives, no stream begins or ends, no
// stream
//   passes the operator, no channel serves a read and a write in the same half, no receive buffer can run
//   over, and the watchdog cannot fire: up to the first edge at which one of these may change. Then streams
//   do not see each other, and each is computed alone.
// Result: the state that cycle() would have left at that edge: departures, arrivals, counters, stalls, the
//   times at which what was asked of a memory comes. Tests run every random program both ways.
#include <algorithm>
#include <bit>
#include <cstring>

#include "roles/collective/sim/engine.h"

namespace polyloom::collective {
namespace {

constexpr Cycle kShortest = 6;     ///< a shorter burst costs more than it saves
constexpr Cycle kLongest = 4'096;  ///< of the arrays of edges

}  // namespace

std::uint64_t Engine::beat_hash(const std::uint64_t* w, std::uint64_t offset) const {
  // Terms of beats are summed, so that beats need not be hashed one after the other.
  std::uint64_t term = w[0] ^ std::rotl(w[1], 17) ^ std::rotl(w[2], 34) ^ std::rotl(w[3], 51);
  term += (offset + kBeatBytes) * 0x9e3779b97f4a7c15ull;
  term = (term ^ (term >> 32)) * 0xd6e8feb86659fd93ull;
  return term ^ (term >> 29);
}

/// The half in which the next beats of a pattern lie; 2: perhaps in both, or outside the channel.
unsigned Engine::half_of(const PatternCursor& cursor, const PatternSpan& span, Cycle beats) const {
  const std::uint64_t half = p_.channel.bytes / 2;
  if (span.high > p_.channel.bytes) return 2;
  if (span.high <= half) return 0;
  if (span.low >= half) return 1;
  if (cursor.done() || cursor.whole() < beats) return 2;
  const std::uint64_t first = cursor.offset(), last = first + beats * kBeatBytes;
  return last <= half ? 0 : first >= half ? 1 : 2;
}

/// Up to where streams just flow; now_ or little more: not worth it.
Cycle Engine::burst_end(Cycle to) const {
  Cycle end = std::min(to, now_ + kLongest);
  if (watchdog != 0) end = std::min(end, last_progress_ + watchdog);
  for (const Flow& f : flows_) {
    if (f.finished || !f.begun) continue;
    if (f.kind == Flow::result || (f.kind == Flow::lane && lanes_[f.index].holds_end())) return now_;
    if (f.kind == Flow::read) end = std::min(end, now_ + readers_[f.index].take.left() - 1);
    for (const Sink& s : f.sinks) {
      if (s.kind == Sink::feed) return now_;
      if (s.kind != Sink::write) continue;
      const Writer& w = writers_[s.index];
      if (w.ended || w.held != 0 || w.data.done()) return now_;
      end = std::min(end, now_ + w.data.left() - 1);
    }
  }
  if (end < now_ + kShortest) return end;
  const Time last = at(end - 1) + 1;
  Time until = last;
  for (const Lane& lane : lanes_) {
    end = std::min(end, lane.next_pulse());
    const Lane::Plain plain = lane.plain(until);
    until = plain.until;
    if (lane.held() + plain.beats > p_.rx_beats) return now_;
  }
  if (until < last) end = std::min(end, edges_.from(until));
  if (end < now_ + kShortest) return end;
  for (const unsigned c : active_channels_) {
    const Reader& r = readers_[c];
    const Writer& w = writers_[c];
    if (w.active && w.ended) return now_;  // its last beats are on their way
    const bool reads = r.begun && !r.issue.done();
    const bool writes = w.active && !w.grant.done();
    const unsigned from = reads ? half_of(r.issue, r.span, end - now_ + 1) : 2;
    const unsigned into = writes ? half_of(w.grant, w.span, end - now_ + 1) : 2;
    if ((reads && from == 2) || (writes && into == 2) || (reads && writes && from == into)) return now_;
  }
  return end;
}

/// The cycles from now_ on up to `to` at most; false: they are to be stepped.
bool Engine::burst(Cycle to) {
  if (!bursts_allowed_ || now_ < no_burst_before_ || to < now_ + kShortest) return false;
  if (!waits_ || operator_active_ || pending_fault_ || state_ != State::running ||
      now_ <= step_go_ + p_.timing.go_to_begin) {
    return false;
  }
  const Cycle end = burst_end(to);
  if (end < now_ + kShortest) {
    no_burst_before_ = std::max(end, now_ + kShortest) + 1;
    return false;
  }
  const Cycle k = now_;
  if (pops_.size() < end - k) pops_.resize(kLongest), arrivals_.resize(kLongest);
  std::uint64_t taken = 0;  // lanes whose arrivals a stream has seen to
  for (Flow& f : flows_) {
    if (f.finished) continue;
    if (!f.begun) {
      stalls_[kBegin] += end - k;
    } else if (f.kind == Flow::read) {
      burst_read(f, k, end);
    } else {
      burst_lane(f, k, end);
      taken |= std::uint64_t{1} << f.index;
    }
  }
  for (unsigned l = 0; l < lanes_.size(); ++l) {
    if ((taken >> l & 1) != 0 || lanes_[l].next_arrival() > at(end - 1)) continue;
    const std::size_t n = lanes_[l].plain_edges(edges_, k, end, arrivals_.data());
    const Cycle* edge = arrivals_.data();
    lanes_[l].take_plain(n, [&](const std::uint64_t* words, std::size_t beats) {
      for (std::size_t i = 0; i < beats; ++i) lanes_[l].hold(words + i * kBeatWords, *edge++);
    });
    if (n != 0) last_progress_ = std::max(last_progress_, arrivals_[n - 1]);
  }
  active_cycles_ += end - k;
  burst_cycles_ += end - k;
  now_ = end;
  return true;
}

/// The edges at which a stream's beats move. from(n): when its beat n is at the source.
template <typename From>
void Engine::pace(Flow& f, Cycle k, Cycle end, From from) {
  std::array<Lane*, kMaxLanes> tx;
  unsigned wires = 0;
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) tx[wires++] = &lanes_[s.index];
  }
  const Cycle behind = p_.timing.switch_cycles + p_.timing.tx_cycles;
  std::uint64_t source = 0, wire = 0;
  popped_ = 0;
  f.stall = kNone;
  for (Cycle next = k;;) {
    const Cycle there = std::max(next, from(popped_));
    if (there >= end) {
      source += end - next;
      if (next < end) f.stall = kSource;
      break;
    }
    Cycle moves = there;
    for (unsigned i = 0; i < wires; ++i) moves = edges_.from(tx[i]->room_from() + 1, moves - 1) + 1;
    source += there - next;
    if (moves >= end) {
      wire += end - there;
      f.stall = kWire;
      break;
    }
    wire += moves - there;
    const Time earliest = at(moves + behind);
    for (unsigned i = 0; i < wires; ++i) tx[i]->book(earliest);
    pops_[popped_++] = moves;
    next = moves + 1;
  }
  stalls_[kSource] += source;
  stalls_[kWire] += wire;
  if (popped_ != 0) last_progress_ = std::max(last_progress_, pops_[popped_ - 1]);
}

void Engine::burst_read(Flow& f, Cycle k, Cycle end) {
  Reader& r = readers_[f.index];
  const unsigned mask = static_cast<unsigned>(r.ready.size()) - 1;
  const Cycle asks = std::max(k, r.request_from);
  const Cycle latency = channels_[f.index].read_ready(0) + p_.timing.read_to_source;
  const std::uint64_t here = r.count;
  // Beats that are asked for from now on come one a cycle at least as fast as they can leave, once the first
  // is here: R# asks for more beats than the latency has cycles.
  const Cycle new_from = r.issue.done() ? kNeverCycle : asks + latency;
  pace(f, k, end, [&](std::size_t n) {
    if (n < here) return r.ready[(r.head + n) & mask];
    return new_from;
  });
  // What R# has asked for meanwhile.
  const std::uint64_t most = r.issue.done() ? 0 : r.issue.left();
  std::uint64_t asked = 0;
  Cycle edge = 0;
  for (; asked < most; ++asked) {
    Cycle when = asks + asked;
    if (here + asked >= r.depth) {  // after the beat whose place it takes has left
      const std::uint64_t before = here + asked - r.depth;
      if (before >= popped_) break;
      when = std::max(when, pops_[before] + 1);
    }
    if (when >= end) break;
    edge = when;
    r.ready[(r.head + here + asked) & mask] = when + latency;
  }
  if (asked != 0) {
    channels_[f.index].arbitrate(true, r.issue.offset(), false, 0);
    r.issue.skip(asked);
    last_progress_ = std::max(last_progress_, edge);
  }
  r.head = (r.head + static_cast<unsigned>(popped_)) & mask;
  r.count = static_cast<unsigned>(here + asked - popped_);
  r.beats += popped_;

  static constexpr std::array<std::uint64_t, 64 * kBeatWords> kZeros{};
  std::uint8_t* const base = memory_ != nullptr ? memory_->data() + f.index * p_.channel.bytes : nullptr;
  for (std::size_t left = popped_; left != 0;) {
    std::size_t n = std::min<std::size_t>(left, r.take.whole());
    if (n == 0) {  // the last, shorter beat of a run
      n = 1;
      const unsigned bytes = r.take.bytes();
      std::array<std::uint64_t, kBeatWords> words{};
      if (base != nullptr) std::memcpy(words.data(), base + r.take.offset(), bytes);
      deliver(f, words.data(), 1, bytes);
    } else if (base != nullptr) {
      deliver(f, reinterpret_cast<const std::uint64_t*>(base + r.take.offset()), n, kBeatBytes);
    } else {
      n = std::min<std::size_t>(n, 64);
      deliver(f, kZeros.data(), n, kBeatBytes);
    }
    r.take.pass(n);
    left -= n;
  }
  settle_writers(f, k, end);
}

void Engine::burst_lane(Flow& f, Cycle k, Cycle end) {
  Lane& lane = lanes_[f.index];
  const Cycle open = takes_[f.index].from;
  const std::size_t held = lane.held();
  const std::size_t come =
      lane.next_arrival() > at(end - 1) ? 0 : lane.plain_edges(edges_, k, end, arrivals_.data());
  const Cycle* const edges = arrivals_.data();
  pace(f, k, end, [&](std::size_t n) {
    if (n < held) return std::max(open, lane.held_from(static_cast<unsigned>(n)));
    return n < held + come ? std::max(open, edges[n - held] + p_.timing.rx_cycles) : kNeverCycle;
  });
  if (come != 0) last_progress_ = std::max(last_progress_, edges[come - 1]);
  std::size_t left = popped_;
  for (; left != 0 && lane.held() != 0; --left) {
    deliver(f, lane.front().words.data(), 1, kBeatBytes);
    lane.pop();
  }
  // The rest of what has come goes straight on or stays.
  std::size_t seen = 0;
  if (come == 0) return settle_writers(f, k, end);
  lane.take_plain(come, [&](const std::uint64_t* words, std::size_t beats) {
    const std::size_t n = std::min(beats, left);
    if (n != 0) deliver(f, words, n, kBeatBytes);
    left -= n;
    for (std::size_t i = n; i < beats; ++i) lane.hold(words + i * kBeatWords, edges[seen + i]);
    seen += beats;
  });
  settle_writers(f, k, end);
}

void Engine::deliver(const Flow& f, const std::uint64_t* words, std::size_t beats, unsigned bytes) {
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) {
      lanes_[s.index].fill(words, beats);
    } else {
      burst_write(s.index, words, beats, bytes);
    }
  }
}

void Engine::burst_write(unsigned c, const std::uint64_t* words, std::size_t beats, unsigned bytes) {
  Writer& w = writers_[c];
  w.beats += beats;
  if (memory_ == nullptr) {
    w.data.skip(beats);
    return;
  }
  std::uint8_t* const base = memory_->data() + c * p_.channel.bytes;
  while (beats != 0) {
    const std::uint64_t offset = w.data.offset();
    std::size_t n = bytes == kBeatBytes ? std::min<std::size_t>(beats, w.data.whole()) : 0;
    std::size_t size = n * kBeatBytes;
    if (n == 0) {
      n = 1;
      size = std::min(w.data.bytes(), bytes);
    }
    std::memcpy(base + offset, words, size);
    for (std::size_t i = 0; i < n; ++i) w.hash += beat_hash(words + i * kBeatWords, offset + i * kBeatBytes);
    w.data.pass(n);
    words += n * kBeatWords;
    beats -= n;
  }
}

/// What the memory has taken of the beats that moved: all but one that moved at the last edge.
void Engine::settle_writers(const Flow& f, Cycle k, Cycle end) {
  for (const Sink& s : f.sinks) {
    if (s.kind != Sink::write) continue;
    Writer& w = writers_[s.index];
    const unsigned before = w.coming;
    w.coming = popped_ != 0 && pops_[popped_ - 1] == end - 1;
    const std::size_t granted = before + popped_ - w.coming;
    if (granted == 0) continue;
    channels_[s.index].arbitrate(false, 0, true, w.grant.offset());
    w.grant.skip(granted);
    Cycle last = k;
    if (popped_ > w.coming) last = pops_[popped_ - 1 - w.coming] + 1;
    last_progress_ = std::max(last_progress_, last);
  }
}

}  // namespace polyloom::collective
