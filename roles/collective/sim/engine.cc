// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/engine.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace polyloom::collective {

Engine::Engine(const CollectiveParams& params, std::vector<blocks::WireEnds> lanes,
               blocks::BackingStore* memory, std::function<void(const ProgramEnd&)> ended,
               fabric::TraceTrack* trace)
    : p_(params), edges_(params.clock_hz), memory_(memory), ended_(std::move(ended)), trace_(trace) {
  // Arrivals of an edge are seen by the switch at the next: no other value is built into the loop.
  if (p_.timing.switch_cycles != 1) throw std::logic_error("collective: switch_cycles is 1");
  for (const blocks::WireEnds& wire : lanes) lanes_.emplace_back(wire, p_);
  channels_.assign(p_.channels, blocks::Hbm2Channel(p_.channel));
  readers_.resize(p_.channels);
  for (Reader& r : readers_) {
    r.ready.resize(std::bit_ceil(p_.read_beats()));
    r.depth = p_.read_beats();
  }
  writers_.resize(p_.channels);
  sends_.resize(lanes_.size());
  takes_.resize(lanes_.size());
  if (p_.operator_ports != 0) {
    std::uint64_t kinds = 0;
    for (const OperatorKind kind : p_.operators) kinds |= std::uint64_t{1} << static_cast<unsigned>(kind);
    slot_ = std::make_unique<blocks::operators::Slot>(
        kinds, blocks::operators::SlotParams{.inputs = p_.operator_ports,
                                             .outputs = p_.operator_ports,
                                             .record_beats = p_.record_beats,
                                             .partitions = p_.partitions});
    feeds_.resize(p_.slot_ports());
  }
  program_.resize(std::size_t{p_.program_size} * kInstructionWords);
}

void Engine::collect(Time until) {
  for (Lane& lane : lanes_) lane.collect(until);
}

void Engine::transmit(Time until) {
  for (Lane& lane : lanes_) lane.transmit(until);
}

void Engine::run(Cycle to) {
  while (now_ < to) {
    if (step_active_ && burst(to)) continue;
    const bool moved = cycle(now_);
    if (moved) last_progress_ = now_;
    ++now_;
    if (moved || now_ >= to) continue;
    const Cycle wake = std::clamp(next_wake(), now_, to);
    // Nothing changes in between, so what waited in this cycle waits in those too.
    if (step_active_) {
      for (const Flow& f : flows_) {
        if (!f.finished) stalls_[f.stall] += wake - now_;
      }
      active_cycles_ += wake - now_;
    }
    now_ = wake;
  }
}

/// True if anything changed.
bool Engine::cycle(Cycle k) {
  bool moved = arrivals(k);
  if (pending_fault_ && pending_fault_->at <= k && state_ != State::stopped) {
    fault(k, pending_fault_->code, pending_fault_->lane, pending_fault_->value);
    moved = true;
  }
  if (state_ != State::running) return moved;
  moved |= sequence(k);
  if (!step_active_) return moved;
  ++active_cycles_;
  if (unbegun_ != 0) moved |= begin_blocks(k);
  moved |= memories(k);
  if (operator_active_) moved |= feed_operator(k);
  moved |= switch_beats(k);
  if (!active_takes_.empty()) moved |= finish_takes(k);
  if (operator_active_) moved |= clock_operator(k);
  if (!moved && watchdog != 0 && state_ == State::running && k - last_progress_ >= watchdog) {
    std::uint64_t pulse = 0, data = 0;
    std::uint8_t far = 0xff;  // the first that the value has no bit for
    for (unsigned l = 0; l < lanes_.size(); ++l) {
      const bool no_pulse = sends_[l].active && !sends_[l].begun && !may_begin(l);
      const bool no_data = takes_[l].active && !takes_[l].moved && !takes_[l].pulse_only;
      if (l < 32) {
        pulse |= std::uint64_t{no_pulse} << l;
        data |= std::uint64_t{no_data} << l;
      } else if (far == 0xff && (no_pulse || no_data)) {
        far = static_cast<std::uint8_t>(l);
      }
    }
    fault(k, Fault::timeout, far, pulse | data << 32);
    return true;
  }
  return moved;
}

bool Engine::arrivals(Cycle k) {
  const Time now = at(k);
  bool moved = false;
  for (unsigned l = 0; l < lanes_.size(); ++l) {
    Lane& lane = lanes_[l];
    if (lane.next_arrival() <= now) {
      moved = true;
      if (state_ == State::stopped) {
        lane.discard();
        continue;
      }
      const LaneFault found = lane.receive(k, now);
      if (found.code != 0) fault(k, static_cast<Fault>(found.code), l, found.value);
    }
    if (lane.next_pulse() <= k) moved |= lane.count_pulses(k);
  }
  return moved;
}

// ---- who begins when ----

bool Engine::may_begin(unsigned l) const {
  const auto credit = static_cast<std::int32_t>(lanes_[l].pulses() - lanes_[l].sends);
  return sends_[l].eager ? credit >= 0 : credit >= 1;
}

void Engine::begin_send(Cycle k, unsigned l) {
  Send& send = sends_[l];
  send.begun = true;
  const std::uint32_t block = lanes_[l].sends++;
  if (send.pulse_only) {
    part_done(k + p_.timing.sent_to_done);
  } else if (p_.block_check) {
    lanes_[l].send_signature(at(k + p_.timing.tx_cycles), static_cast<std::uint16_t>(block), send.signature);
  }
}

bool Engine::begin_blocks(Cycle k) {
  if (k < step_go_ + p_.timing.go_to_begin) return false;
  const bool open = !together_ || std::all_of(step_sends_.begin(), step_sends_.end(),
                                              [&](unsigned l) { return sends_[l].begun || may_begin(l); });
  bool moved = false;
  for (const unsigned l : step_sends_) {
    Send& send = sends_[l];
    if (!open || !send.pulse_only || send.begun || !may_begin(l)) continue;
    begin_send(k, l);
    --unbegun_;
    moved = true;
  }
  for (Flow& f : flows_) {
    if (f.begun) continue;
    bool copied = f.kind == Flow::read, all = true, sends = false;
    for (const Sink& s : f.sinks) {
      if (s.kind != Sink::tx) continue;
      copied = sends = true;
      all = all && may_begin(s.index);
    }
    if (!all || (copied && !open)) {
      f.stall = kBegin;
      continue;
    }
    f.begun = moved = true;
    f.from = k + (sends ? p_.timing.begin_to_move : 0);
    --unbegun_;
    for (const Sink& s : f.sinks) {
      if (s.kind == Sink::tx) begin_send(k, s.index);
    }
    if (f.kind == Flow::read) {
      readers_[f.index].begun = true;
      readers_[f.index].request_from = k + p_.timing.begin_to_request;
    } else if (f.kind == Flow::lane && takes_[f.index].relay_pulse) {
      takes_[f.index].relay_pulse = false;
      lanes_[f.index].send_pulse(at(k + p_.timing.go_to_pulse));
    }
  }
  return moved;
}

// ---- memory ----

bool Engine::memories(Cycle k) {
  bool moved = false;
  for (const unsigned c : active_channels_) {
    Reader& r = readers_[c];
    Writer& w = writers_[c];
    w.held += w.coming;
    w.coming = 0;
    w.full = w.held == kSwitchBeats;
    const bool read = r.begun && k >= r.request_from && !r.issue.done() && r.count < r.depth;
    const bool write = w.held != 0;
    if (!read && !write) continue;
    if (read && r.issue.offset() >= p_.channel.bytes) {
      fault(k, Fault::bad_program, 0xff, outside(r.issue.offset()));
      return true;
    }
    const auto grant =
        channels_[c].arbitrate(read, read ? r.issue.offset() : 0, write, write ? w.grant.offset() : 0);
    moved = true;
    if (read && !grant.read) r.even = false;
    if (grant.read) {
      r.ready[(r.head + r.count) & (r.ready.size() - 1)] =
          channels_[c].read_ready(k) + p_.timing.read_to_source;
      ++r.count;
      r.issue.next();
    }
    if (grant.write) {
      w.grant.next();
      if (--w.held == 0 && w.ended) {
        w.active = false;
        part_done(channels_[c].write_done(k) + p_.timing.write_to_done);
      }
    }
  }
  return moved;
}

// ---- switch ----

bool Engine::source_ready(const Flow& f, Cycle k) const {
  switch (f.kind) {
    case Flow::read: {
      const Reader& r = readers_[f.index];
      return r.count != 0 && r.ready[r.head] <= k;
    }
    case Flow::lane:
      return takes_[f.index].from <= k && lanes_[f.index].holds_beat(k);
    case Flow::result:
      return (slot_->valid() >> f.index & 1) != 0;
  }
  return false;
}

Engine::Stall Engine::sinks_ready(const Flow& f, Time before) const {
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) {
      if (!lanes_[s.index].room(before)) return kWire;
    } else if (s.kind == Sink::write) {
      if (writers_[s.index].full) return kMemory;
    } else if (feeds_[s.index].full) {
      return kOperator;
    }
  }
  return kNone;
}

bool Engine::switch_beats(Cycle k) {
  bool moved = false;
  const Time before = at(k - 1);  // of the edge before: go was then, or earlier
  for (Flow& f : flows_) {
    if (f.finished) continue;
    if (!f.begun) {
      f.stall = kBegin;
    } else if (k < f.from || !source_ready(f, k)) {
      f.stall = kSource;
    } else {
      f.stall = sinks_ready(f, before);
      if (f.stall == kNone) {
        move(f, k);
        moved = true;
        if (state_ != State::running) return true;
        continue;
      }
    }
    ++stalls_[f.stall];
  }
  return moved;
}

const Beat& Engine::read_beat(Reader& r, unsigned channel) {
  const unsigned bytes = r.take.bytes();
  if (memory_ != nullptr) {
    const std::uint8_t* from = memory_->data() + channel * p_.channel.bytes + r.take.offset();
    if (bytes == kBeatBytes) {
      std::memcpy(beat_.words.data(), from, kBeatBytes);
    } else {
      beat_.words = {};
      std::memcpy(beat_.words.data(), from, bytes);
    }
  } else {
    beat_.words = {};
  }
  beat_.bytes = static_cast<std::uint8_t>(bytes);
  beat_.last = r.take.last();
  r.take.next();
  r.head = (r.head + 1) & (static_cast<unsigned>(r.ready.size()) - 1);
  --r.count;
  ++r.beats;
  return beat_;
}

void Engine::move(Flow& f, Cycle k) {
  const Beat* beat = nullptr;
  if (f.kind == Flow::read) {
    beat = &read_beat(readers_[f.index], f.index);
  } else if (f.kind == Flow::lane) {
    beat = &lanes_[f.index].front();
  } else {
    beat = &result_beat(f.index);
  }
  const bool last = beat->last;
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) {
      send_beat(s.index, *beat, k);
    } else if (s.kind == Sink::write) {
      write_beat(s.index, *beat, k);
    } else {
      Feed& feed = feeds_[s.index];
      feed.beats[feed.held + feed.coming++] = *beat;
      feed.finished = last;
    }
  }
  if (f.kind == Flow::lane) {
    lanes_[f.index].pop();
    if (last) {
      Take& take = takes_[f.index];
      take.moved = true;
      take.moved_at = k;
      if (take.eager) lanes_[f.index].send_pulse(at(k + p_.timing.go_to_pulse));
    }
  }
  if (!last) return;
  f.finished = true;
  if (f.kind == Flow::read) readers_[f.index].active = readers_[f.index].begun = false;
}

void Engine::send_beat(unsigned l, const Beat& beat, Cycle k) {
  Lane& lane = lanes_[l];
  lane.send_beat(at(k + p_.timing.switch_cycles + p_.timing.tx_cycles), beat);
  if (!beat.last) return;
  Cycle gone = edges_.before(lane.last_departure());
  if (p_.block_check) {
    lane.send_control(at(gone + p_.timing.last_to_check),
                      lane.check_word(static_cast<std::uint16_t>(lane.sends - 1)));
    gone = edges_.before(lane.last_departure());
  }
  part_done(gone + p_.timing.sent_to_done);
}

void Engine::write_beat(unsigned c, const Beat& beat, Cycle k) {
  Writer& w = writers_[c];
  const std::uint64_t offset = w.data.offset();
  const bool end = w.data.last();
  if (offset >= p_.channel.bytes) {
    fault(k, Fault::bad_program, 0xff, outside(offset));
    return;
  }
  if (memory_ != nullptr) {
    const unsigned bytes = std::min<unsigned>(w.data.bytes(), beat.bytes);
    std::memcpy(memory_->data() + c * p_.channel.bytes + offset, beat.words.data(), bytes);
    w.hash += beat_hash(beat.words.data(), offset);
  }
  ++w.coming;
  ++w.beats;
  w.data.next();
  w.ended = beat.last || end;
  const bool wrong = end ? !beat.last : beat.last && !w.open_end;
  // It shows a cycle later, when the beat is at the engine: an abort that explains it may come first.
  if (wrong) fault_at(k + p_.timing.switch_cycles, Fault::length, 0xff, offset);
}

bool Engine::finish_takes(Cycle k) {
  const auto done = [&](unsigned l) {
    Take& take = takes_[l];
    Lane& lane = lanes_[l];
    if (take.from == kNeverCycle && !take.pulse_only && lane.holds_signature()) {
      take.from =
          std::max(step_go_, lane.signature_at()) + p_.timing.go_to_begin + p_.timing.signature_compare;
      const std::uint64_t word = lane.take_signature();
      if (word >> 32 != take.signature || (word >> 16 & 0xffff) != (take.block & 0xffff)) {
        fault(k, Fault::signature, l, std::uint64_t{take.signature} << 32 | word >> 32);
        return false;
      }
    }
    if (!take.moved || (p_.block_check && lane.checked_at() == kNeverCycle)) return false;
    Cycle at = take.moved_at + p_.timing.taken_to_done;
    if (p_.block_check) {
      at = std::max(take.moved_at + p_.timing.moved_to_done, lane.checked_at() + p_.timing.check_to_done);
    }
    lane.forget_check();
    take.active = false;
    part_done(at);
    return true;
  };
  std::size_t kept = 0;
  const std::size_t before = active_takes_.size();
  for (std::size_t i = 0; i < before; ++i) {
    const unsigned l = active_takes_[i];
    const bool finished = done(l);
    if (state_ != State::running) return true;
    if (!finished) active_takes_[kept++] = l;
  }
  active_takes_.resize(kept);
  return kept != before;
}

// ---- when something can happen next ----

Cycle Engine::next_wake() const {
  Cycle next = kNeverCycle;
  const auto sooner = [&](Cycle c) { next = std::min(next, c); };
  for (const Lane& lane : lanes_) {
    if (lane.next_arrival() != fabric::kNever) sooner(edges_.from(lane.next_arrival()));
    sooner(lane.next_pulse());
  }
  if (pending_fault_) sooner(pending_fault_->at);
  if (state_ != State::running) return next;
  if (!waits_) {
    sooner(std::max(now_, fetch_at_));
  } else if (!step_active_) {
    sooner(std::max(now_, step_free()));
  }
  if (!step_active_) return next;
  if (unbegun_ != 0 && now_ <= step_go_ + p_.timing.go_to_begin) {
    sooner(step_go_ + p_.timing.go_to_begin);
  }
  if (watchdog != 0) sooner(last_progress_ + watchdog);
  for (const unsigned c : active_channels_) {
    const Reader& r = readers_[c];
    if (r.begun && !r.issue.done() && r.count < r.depth) sooner(std::max(now_, r.request_from));
    if (writers_[c].held + writers_[c].coming != 0) return now_;
  }
  if (operator_active_ && !slot_->quiet()) return now_;
  for (const unsigned i : active_feeds_) {
    const Feed& feed = feeds_[i];
    if (feed.coming != 0 || (feed.held != 0 && (slot_->ready() >> i & 1) != 0)) return now_;
  }
  for (const Flow& f : flows_) {
    if (f.finished || !f.begun) continue;
    Cycle ready = kNeverCycle;
    if (f.kind == Flow::result && source_ready(f, now_)) ready = now_;
    if (f.kind == Flow::read) {
      const Reader& r = readers_[f.index];
      if (r.count != 0) ready = r.ready[r.head];
    } else if (f.kind == Flow::lane && takes_[f.index].from != kNeverCycle) {
      const Cycle held = lanes_[f.index].beat_from();
      ready = held == kNeverCycle ? held : std::max(held, takes_[f.index].from);
    }
    if (ready == kNeverCycle) continue;
    ready = std::max(ready, f.from);
    // From there on it waits for another thing, which is counted apart.
    if (f.stall != kSource) {
      for (const Sink& s : f.sinks) {
        if (s.kind == Sink::tx) ready = sees_room(lanes_[s.index].room_from(), ready);
        // Registers that are full before an operator that stands still: nothing but another input ends that.
        if (s.kind == Sink::feed && feeds_[s.index].held == kSwitchBeats) ready = kNeverCycle;
      }
    }
    sooner(ready);
  }
  return std::max(next, now_);
}

Cycle Engine::next_edge() const {
  const Cycle wake = next_wake();
  return wake == kNeverCycle ? wake : std::max(wake, now_);
}

Time Engine::next_departure() const {
  Time next = fabric::kNever;
  for (const Lane& lane : lanes_) next = std::min(next, lane.next_departure());
  return next;
}

}  // namespace polyloom::collective
