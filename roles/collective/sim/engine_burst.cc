// SPDX-License-Identifier: Apache-2.0
// Many cycles at once: while the streams of a step just flow, the edges at which their beats move follow
//   from the memory's first beat, the arrivals that are known and the pace of the wires; bytes then move in
//   pieces.
//
// When: a step is active, nothing but whole beats inside of blocks arrives, no stream begins or ends, none
//   passes the operator, no channel serves a read and a write in the same half, no receive buffer can run
//   over, and the watchdog cannot fire: up to the first edge at which one of these may change. Then streams
//   do not see each other, and each is computed alone.
// Result: the state that cycle() would have left at that edge: departures, arrivals, counters, stalls, the
//   times at which what was asked of a memory comes.
// Tests: ../tests/burst_test.cc runs every random program both ways.
#include <algorithm>
#include <bit>
#include <cstring>

#include "roles/collective/sim/engine.h"

namespace polyloom::collective {
namespace {

constexpr Cycle kShortest = 6;     ///< a shorter burst costs more than it saves
constexpr Cycle kLongest = 4'096;  ///< of the arrays of edges

}  // namespace

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
    if (now_ < f.from) return now_;
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
      if (!flow_read(f, k, end)) burst_read(f, k, end);
    } else {
      if (!flow_lane(f, k, end)) burst_lane(f, k, end);
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
    for (unsigned i = 0; i < wires; ++i) moves = sees_room(tx[i]->room_from(), moves);
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
  copy_read(f, popped_);
  settle(f, k, end);
}

/// Moves the next beats of R# to its sinks.
void Engine::copy_read(const Flow& f, std::size_t beats) {
  Reader& r = readers_[f.index];
  static constexpr std::array<std::uint64_t, 64 * kBeatWords> kZeros{};
  std::uint8_t* const base = memory_ != nullptr ? memory_->data() + f.index * p_.channel.bytes : nullptr;
  for (std::size_t left = beats; left != 0;) {
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
  r.beats += beats;
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
  if (come == 0) return settle(f, k, end);
  lane.take_plain(come, [&](const std::uint64_t* words, std::size_t beats) {
    const std::size_t n = std::min(beats, left);
    if (n != 0) deliver(f, words, n, kBeatBytes);
    left -= n;
    for (std::size_t i = n; i < beats; ++i) lane.hold(words + i * kBeatWords, edges[seen + i]);
    seen += beats;
  });
  settle(f, k, end);
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
    std::uint64_t hash = 0, at = offset;
    for (const std::uint64_t* beat = words; beat != words + n * kBeatWords;
         beat += kBeatWords, at += kBeatBytes) {
      hash += beat_hash(beat, at);
    }
    w.hash += hash;
    w.data.pass(n);
    words += n * kBeatWords;
    beats -= n;
  }
}

/// After pace().
void Engine::settle(const Flow& f, Cycle k, Cycle end) {
  if (popped_ == 0) return settle_writers(f, k, end, 0, 0, 0);
  settle_writers(f, k, end, popped_, pops_[popped_ - 1], popped_ > 1 ? pops_[popped_ - 2] : 0);
}

/// What the memory has taken of the beats that moved: all but one that moved at the last edge.
void Engine::settle_writers(const Flow& f, Cycle k, Cycle end, std::size_t beats, Cycle last, Cycle before) {
  for (const Sink& s : f.sinks) {
    if (s.kind != Sink::write) continue;
    Writer& w = writers_[s.index];
    const unsigned waited = w.coming;
    w.coming = beats != 0 && last == end - 1;
    const std::size_t granted = waited + beats - w.coming;
    if (granted == 0) continue;
    channels_[s.index].arbitrate(false, 0, true, w.grant.offset());
    w.grant.skip(granted);
    Cycle at = k;
    if (beats > w.coming) at = (w.coming != 0 ? before : last) + 1;
    last_progress_ = std::max(last_progress_, at);
  }
}

// ---- streams at the pace of their wire: closed forms instead of pace() ----

/// R# that has beats in store for wires that all go on without a gap, or for writes alone; false: not so.
bool Engine::flow_read(Flow& f, Cycle k, Cycle end) {
  Reader& r = readers_[f.index];
  // As burst_read() says: from the second beat on no beat is late unless a request was.
  if (!r.even || r.count == 0 || r.ready[r.head] > k || r.request_from > k) return false;
  const Lane* wire = nullptr;
  for (const Sink& s : f.sinks) {
    if (s.kind != Sink::tx) continue;
    const Lane& lane = lanes_[s.index];
    if (!lane.flows()) return false;
    if (wire != nullptr && (wire->room_from() != lane.room_from() || wire->beat_time() != lane.beat_time())) {
      return false;
    }
    wire = &lane;
  }
  std::size_t beats = end - k;
  Time room = 0, pace = 0;
  if (wire != nullptr) {
    room = wire->room_from();
    pace = wire->beat_time();
    // A beat that moves as soon as there is room must be in time for its place on the wire, and come alone.
    // Room is seen one edge later (sees_room()).
    const Time behind = (p_.timing.switch_cycles + p_.timing.tx_cycles + 2) * edges_.widest();
    const Time last = at(end - 2) - 1;
    if (room < at(k - 2) || pace < edges_.widest() || behind > pace * (kTxBeats + kSwitchBeats)) return false;
    beats = room > last ? 0 : static_cast<std::size_t>((last - room) / pace) + 1;
  }
  const auto edge = [&](std::size_t n) {
    return wire == nullptr ? k + n : sees_room(room + static_cast<Time>(n) * pace, k);
  };
  const Cycle last = beats == 0 ? 0 : edge(beats - 1), before = beats < 2 ? 0 : edge(beats - 2);
  f.stall = beats != 0 && last == end - 1 ? kNone : kWire;
  stalls_[kWire] += end - k - beats;
  if (beats != 0) last_progress_ = std::max(last_progress_, last);

  // Requests: one a cycle until the store is full, then one after each beat that leaves.
  const std::uint64_t left_before_last = beats - (beats != 0 && last == end - 1);
  const std::uint64_t most = r.issue.done() ? 0 : r.issue.left();
  const std::uint64_t asked = std::min({most, end - k, r.depth - r.count + left_before_last});
  if (asked != 0) {
    Cycle at_edge = k + asked - 1;
    if (r.count + asked > r.depth) at_edge = std::max(at_edge, edge(r.count + asked - r.depth - 1) + 1);
    last_progress_ = std::max(last_progress_, at_edge);
    channels_[f.index].arbitrate(true, r.issue.offset(), false, 0);
    r.issue.skip(asked);
    // They are never what the stream waits for, so any time not after the true one will do.
    const std::size_t size = r.ready.size(), at = (r.head + r.count) & (size - 1);
    const std::size_t marks = std::min<std::size_t>(asked, size), straight = std::min(marks, size - at);
    std::fill_n(r.ready.begin() + static_cast<std::ptrdiff_t>(at), straight, Cycle{0});
    std::fill_n(r.ready.begin(), marks - straight, Cycle{0});
  }
  r.head = (r.head + static_cast<unsigned>(beats)) & (static_cast<unsigned>(r.ready.size()) - 1);
  r.count = static_cast<unsigned>(r.count + asked - beats);
  if (beats != 0) {
    for (const Sink& s : f.sinks) {
      if (s.kind == Sink::tx) lanes_[s.index].book_flow(beats);
    }
    copy_read(f, beats);
  }
  settle_writers(f, k, end, beats, last, before);
  return true;
}

/// A lane whose beats are written as they come; false: not so.
bool Engine::flow_lane(Flow& f, Cycle k, Cycle end) {
  Lane& lane = lanes_[f.index];
  const Cycle behind = p_.timing.rx_cycles;
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) return false;
  }
  if (takes_[f.index].from > k || behind != 1 || lane.beat_time() < edges_.widest()) return false;
  if (lane.held() > 1 || (lane.held() == 1 && lane.beat_from() > k)) return false;
  // A beat that has been whole before k is late: others may be close behind it.
  if (lane.next_arrival() <= at(k - 1)) return false;
  const std::size_t come = lane.plain_by(at(end - 1)), held = lane.held();
  const Cycle arrived = come == 0 ? 0 : edges_.from(lane.plain_time(come - 1));
  const std::size_t stays = come != 0 && arrived == end - 1, gone = come - stays;
  const std::size_t beats = held + gone;
  // What moves: a beat held at k, each other the edge after it came.
  const auto edge = [&](std::size_t n) {
    return n < held ? k : edges_.from(lane.plain_time(n - held)) + behind;
  };
  const Cycle last = beats == 0 ? 0 : edge(beats - 1), before = beats < 2 ? 0 : edge(beats - 2);
  f.stall = beats != 0 && last == end - 1 ? kNone : kSource;
  stalls_[kSource] += end - k - beats;
  last_progress_ = std::max({last_progress_, last, arrived});
  if (held != 0) {
    deliver(f, lane.front().words.data(), 1, kBeatBytes);
    lane.pop();
  }
  if (come != 0) {
    std::size_t left = gone;
    lane.take_plain(come, [&](const std::uint64_t* words, std::size_t n) {
      const std::size_t go = std::min(n, left);
      if (go != 0) deliver(f, words, go, kBeatBytes);
      left -= go;
      if (go != n) lane.hold(words + go * kBeatWords, arrived);
    });
  }
  settle_writers(f, k, end, beats, last, before);
  return true;
}

}  // namespace polyloom::collective
