// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/burst.h"

#include <algorithm>
#include <array>
#include <span>

namespace polyloom::collective {
namespace {

constexpr Cycle kShortest = 6;     ///< a shorter burst costs more than it saves
constexpr Cycle kLongest = 4'096;  ///< of the arrays of edges

}  // namespace

// ---- how long ----

/// Up to where no flow begins or ends before `end`; k: not at all.
Cycle Burst::flows_until(Cycle k, Cycle end) {
  for (const Flow& f : switch_.flows()) {
    if (f.finished || !f.begun) continue;
    if (k < f.from) return k;
    if (f.kind == Flow::result || (f.kind == Flow::lane && ports_.lanes[f.index].in.holds_end())) return k;
    if (f.kind == Flow::read) end = std::min(end, k + ports_.channels[f.index].left_to_read() - 1);
    for (const Sink& s : f.sinks) {
      if (s.kind == Sink::feed) return k;
      if (s.kind != Sink::write) continue;
      const ChannelPort& channel = ports_.channels[s.index];
      if (!channel.write_flows()) return k;
      end = std::min(end, k + channel.left_to_write() - 1);
    }
  }
  return end;
}

/// Up to where streams just flow; k or little more: not worth it.
Cycle Burst::end_of(Cycle k, Cycle to, std::uint64_t watchdog) {
  Cycle end = std::min(to, k + kLongest);
  if (watchdog != 0) end = std::min(end, step_.last_progress() + watchdog);
  end = flows_until(k, end);
  if (end < k + kShortest) return end;
  const Time last = edges_.at(end - 1) + 1;
  Time until = last;
  for (const LanePort& port : ports_.lanes) {
    end = std::min(end, port.in.next_pulse());
    const LaneIn::Plain plain = port.in.plain(until);
    until = plain.until;
    if (port.in.held() + plain.beats > p_.rx_beats) return k;
  }
  if (until < last) end = std::min(end, edges_.from(until));
  if (end < k + kShortest) return end;
  for (const unsigned c : ports_.active_channels) {
    if (!ports_.channels[c].halves_apart(end - k + 1)) return k;
  }
  return end;
}

Cycle Burst::run(Cycle k, Cycle to, std::uint64_t watchdog) {
  if (!allowed_ || k < not_before_ || to < k + kShortest) return 0;
  if (ports_.slot.active() || k <= step_.go_edge() + p_.timing.go_to_begin) return 0;
  const Cycle end = end_of(k, to, watchdog);
  if (end < k + kShortest) {
    not_before_ = std::max(end, k + kShortest) + 1;
    return 0;
  }
  if (pops_.size() < end - k) pops_.resize(kLongest), arrivals_.resize(kLongest);
  std::uint64_t read = 0;  // lanes whose arrivals a stream has seen to
  for (Flow& f : switch_.flows()) {
    if (f.finished) continue;
    if (!f.begun) {
      switch_.count(Switch::kBegin, end - k);
    } else if (f.kind == Flow::read) {
      if (!flow_read(f, k, end)) step_read(f, k, end);
    } else {
      if (!flow_lane(f, k, end)) step_lane(f, k, end);
      read |= std::uint64_t{1} << f.index;
    }
  }
  accept_unread(k, end, read);
  return end - k;
}

/// What arrives on lanes from which no stream reads stays in their buffers.
void Burst::accept_unread(Cycle k, Cycle end, std::uint64_t read) {
  for (unsigned l = 0; l < ports_.lanes.size(); ++l) {
    LaneIn& lane = ports_.lanes[l].in;
    if ((read >> l & 1) != 0 || lane.next_arrival() > edges_.at(end - 1)) continue;
    const std::size_t n = lane.plain_edges(edges_, k, end, arrivals_.data());
    const Cycle* edge = arrivals_.data();
    lane.take_plain(n, [&](const std::uint64_t* words, std::size_t beats) {
      for (std::size_t i = 0; i < beats; ++i) lane.hold(words + i * kBeatWords, *edge++);
    });
    if (n != 0) step_.progress(arrivals_[n - 1]);
  }
}

// ---- beat by beat ----

/// The edges at which a stream's beats move. from(n): when its beat n is at the source.
template <typename From>
void Burst::pace(Flow& f, Cycle k, Cycle end, From from) {
  std::array<LanePort*, kMaxLanes> tx;
  unsigned wires = 0;
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) tx[wires++] = &ports_.lanes[s.index];
  }
  const Cycle behind = p_.timing.switch_cycles + p_.timing.tx_cycles;
  std::uint64_t source = 0, wire = 0;
  popped_ = 0;
  f.stall = Switch::kNone;
  for (Cycle next = k;;) {
    const Cycle there = std::max(next, from(popped_));
    if (there >= end) {
      source += end - next;
      if (next < end) f.stall = Switch::kSource;
      break;
    }
    Cycle moves = there;
    for (unsigned i = 0; i < wires; ++i) moves = tx[i]->sees_room(moves);
    source += there - next;
    if (moves >= end) {
      wire += end - there;
      f.stall = Switch::kWire;
      break;
    }
    wire += moves - there;
    const Time earliest = edges_.at(moves + behind);
    for (unsigned i = 0; i < wires; ++i) tx[i]->out.book(earliest);
    pops_[popped_++] = moves;
    next = moves + 1;
  }
  switch_.count(Switch::kSource, source);
  switch_.count(Switch::kWire, wire);
  if (popped_ != 0) step_.progress(pops_[popped_ - 1]);
}

void Burst::step_read(Flow& f, Cycle k, Cycle end) {
  ChannelPort& channel = ports_.channels[f.index];
  const std::size_t here = channel.requested();
  const Cycle new_from = channel.comes_from(k);
  pace(f, k, end, [&](std::size_t n) { return n < here ? channel.requested_from(n) : new_from; });
  step_.progress(channel.request(k, end, std::span(pops_).first(popped_)));
  copy_read(f, popped_);
  settle(f, k, end);
}

void Burst::step_lane(Flow& f, Cycle k, Cycle end) {
  LanePort& port = ports_.lanes[f.index];
  LaneIn& lane = port.in;
  const Cycle open = port.opens();
  const std::size_t held = lane.held();
  const std::size_t come =
      lane.next_arrival() > edges_.at(end - 1) ? 0 : lane.plain_edges(edges_, k, end, arrivals_.data());
  const Cycle* const edges = arrivals_.data();
  pace(f, k, end, [&](std::size_t n) {
    if (n < held) return std::max(open, lane.held_from(static_cast<unsigned>(n)));
    return n < held + come ? std::max(open, edges[n - held] + p_.timing.rx_cycles) : kNeverCycle;
  });
  if (come != 0) step_.progress(edges[come - 1]);
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

// ---- bytes ----

void Burst::copy_read(const Flow& f, std::size_t beats) {
  ports_.channels[f.index].copy(
      beats, [&](const std::uint64_t* words, std::size_t n, unsigned bytes) { deliver(f, words, n, bytes); });
}

void Burst::deliver(const Flow& f, const std::uint64_t* words, std::size_t beats, unsigned bytes) {
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) {
      ports_.lanes[s.index].out.fill(words, beats);
    } else {
      ports_.channels[s.index].write(words, beats, bytes);
    }
  }
}

/// After pace().
void Burst::settle(const Flow& f, Cycle k, Cycle end) {
  if (popped_ == 0) return settle(f, k, end, 0, 0, 0);
  settle(f, k, end, popped_, pops_[popped_ - 1], popped_ > 1 ? pops_[popped_ - 2] : 0);
}

/// `beats` have moved, the last two at these edges.
void Burst::settle(const Flow& f, Cycle k, Cycle end, std::size_t beats, Cycle last, Cycle before) {
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::write) step_.progress(ports_.channels[s.index].settle(k, end, beats, last, before));
  }
}

// ---- streams at the pace of their wire: closed forms instead of pace() ----

/// R# that has beats in store for wires that all go on without a gap, or for writes alone.
bool Burst::flow_read(Flow& f, Cycle k, Cycle end) {
  ChannelPort& channel = ports_.channels[f.index];
  // As ChannelPort::comes_from() says: from the second beat on no beat is late unless a request was.
  if (!channel.read_flows(k)) return false;
  const LanePort* wire = nullptr;
  for (const Sink& s : f.sinks) {
    if (s.kind != Sink::tx) continue;
    const LanePort& port = ports_.lanes[s.index];
    if (!port.out.flows()) return false;
    if (wire != nullptr &&
        (wire->out.room_from() != port.out.room_from() || wire->out.beat_time() != port.out.beat_time())) {
      return false;
    }
    wire = &port;
  }
  std::size_t beats = end - k;
  Time room = 0, pace = 0;
  if (wire != nullptr) {
    room = wire->out.room_from();
    pace = wire->out.beat_time();
    // A beat that moves as soon as there is room must be in time for its place on the wire, and come alone.
    // Room is seen one edge later (LanePort::sees_room()).
    const Time behind = (p_.timing.switch_cycles + p_.timing.tx_cycles + 2) * edges_.widest();
    const Time last = edges_.at(end - 2) - 1;
    if (room < edges_.at(k - 2) || pace < edges_.widest() || behind > pace * (kTxBeats + kSwitchBeats)) {
      return false;
    }
    beats = room > last ? 0 : static_cast<std::size_t>((last - room) / pace) + 1;
  }
  const auto edge = [&](std::size_t n) {
    return wire == nullptr ? k + n : wire->sees_room(room + static_cast<Time>(n) * pace, k);
  };
  const Cycle last = beats == 0 ? 0 : edge(beats - 1), before = beats < 2 ? 0 : edge(beats - 2);
  f.stall = beats != 0 && last == end - 1 ? Switch::kNone : Switch::kWire;
  switch_.count(Switch::kWire, end - k - beats);
  step_.progress(last);
  step_.progress(channel.request_evenly(k, end, beats, edge));
  if (beats != 0) {
    for (const Sink& s : f.sinks) {
      if (s.kind == Sink::tx) ports_.lanes[s.index].out.book_flow(beats);
    }
    copy_read(f, beats);
  }
  settle(f, k, end, beats, last, before);
  return true;
}

/// A lane whose beats are written as they come.
bool Burst::flow_lane(Flow& f, Cycle k, Cycle end) {
  LanePort& port = ports_.lanes[f.index];
  LaneIn& lane = port.in;
  const Cycle behind = p_.timing.rx_cycles;
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) return false;
  }
  if (port.opens() > k || behind != 1 || port.out.beat_time() < edges_.widest()) return false;
  if (lane.held() > 1 || (lane.held() == 1 && lane.beat_from() > k)) return false;
  // A beat that has been whole before k is late: others may be close behind it.
  if (lane.next_arrival() <= edges_.at(k - 1)) return false;
  const std::size_t come = lane.plain_by(edges_.at(end - 1)), held = lane.held();
  const Cycle arrived = come == 0 ? 0 : edges_.from(lane.plain_time(come - 1));
  const std::size_t stays = come != 0 && arrived == end - 1, gone = come - stays;
  const std::size_t beats = held + gone;
  // What moves: a beat held at k, each other the edge after it came.
  const auto edge = [&](std::size_t n) {
    return n < held ? k : edges_.from(lane.plain_time(n - held)) + behind;
  };
  const Cycle last = beats == 0 ? 0 : edge(beats - 1), before = beats < 2 ? 0 : edge(beats - 2);
  f.stall = beats != 0 && last == end - 1 ? Switch::kNone : Switch::kSource;
  switch_.count(Switch::kSource, end - k - beats);
  step_.progress(last);
  step_.progress(arrived);
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
  settle(f, k, end, beats, last, before);
  return true;
}

}  // namespace polyloom::collective
