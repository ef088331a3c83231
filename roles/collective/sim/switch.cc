// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/switch.h"

#include <algorithm>

namespace polyloom::collective {

// ---- the step ----

Switch::Flow* Switch::find(std::uint8_t source) {
  const auto is = [&](const Flow& f) {
    switch (f.kind) {
      case Flow::read:
        return source == kFromRead + f.index;
      case Flow::lane:
        return source == kFromLane + f.index;
      case Flow::result:
        return source == kFromOperator + f.index;
    }
    return false;
  };
  const auto at = std::find_if(flows_.begin(), flows_.end(), is);
  return at == flows_.end() ? nullptr : &*at;
}

bool Switch::load(std::span<const Instruction> step) {
  clear_step();
  ports_.clear_step();
  for (const Instruction& i : step) {
    const bool block = i.op == Op::take && (i.flags & kPulseOnly) == 0;
    if (i.op != Op::read && i.op != Op::take && i.op != Op::config) continue;
    if (!ports_.add(i)) return false;
    if (i.op == Op::read) flows_.push_back({Flow::read, i.index, false, false, kBegin, {}});
    if (block) flows_.push_back({Flow::lane, i.index, false, false, kBegin, {}});
    if (i.op == Op::config) flows_.push_back({Flow::result, i.index, false, false, kBegin, {}});
  }
  for (const Instruction& i : step) {
    if (i.op != Op::write && i.op != Op::send && i.op != Op::feed) continue;
    if (!ports_.add(i)) return false;
    if (i.op == Op::send && (i.flags & kPulseOnly) != 0) {
      ++unbegun_;
      continue;
    }
    Flow* flow = find(i.source);
    if (flow == nullptr) return false;
    const auto kind = i.op == Op::send ? Sink::tx : i.op == Op::write ? Sink::write : Sink::feed;
    flow->sinks.push_back({kind, i.index});
  }
  for (Flow& f : flows_) {
    // An operator may keep an output for itself (a histogram); other beats must go somewhere.
    if (f.sinks.empty() && f.kind != Flow::result) return false;
  }
  std::erase_if(flows_, [](const Flow& f) { return f.sinks.empty(); });
  unbegun_ += static_cast<unsigned>(flows_.size());
  return true;
}

void Switch::begin_accepts(Cycle k) {
  for (unsigned l = 0; l < ports_.lanes.size(); ++l) {
    LanePort& port = ports_.lanes[l];
    if (!port.accepts()) continue;
    bool relays = false;
    if (!port.accepts_pulse_only()) {
      ports_.active_accepts.push_back(l);
      const Flow* flow = find(static_cast<std::uint8_t>(kFromLane + l));
      relays = std::any_of(flow->sinks.begin(), flow->sinks.end(),
                           [](const Sink& s) { return s.kind == Sink::tx; });
    }
    port.begin_accept(k, relays);
  }
}

// ---- what begins when ----

/// `open`: as far as the step's other lanes go.
bool Switch::may_begin(const Flow& f, bool open) const {
  bool copied = f.kind == Flow::read;
  for (const Sink& s : f.sinks) {
    if (s.kind != Sink::tx) continue;
    copied = true;
    if (!ports_.lanes[s.index].may_begin()) return false;
  }
  return open || !copied;
}

bool Switch::begin_blocks(Cycle k) {
  if (unbegun_ == 0 || k < step_.go_edge() + p_.timing.go_to_begin) return false;
  const bool open =
      !step_.together() || std::all_of(ports_.sends.begin(), ports_.sends.end(), [&](unsigned l) {
        return ports_.lanes[l].begun() || ports_.lanes[l].may_begin();
      });
  bool moved = false;
  for (const unsigned l : ports_.sends) {
    LanePort& port = ports_.lanes[l];
    if (!open || !port.sends_pulse_only() || port.begun() || !port.may_begin()) continue;
    port.begin_send(k);
    --unbegun_;
    moved = true;
  }
  for (Flow& f : flows_) {
    if (f.begun) continue;
    if (!may_begin(f, open)) {
      f.stall = kBegin;
      continue;
    }
    f.begun = moved = true;
    f.from = k;
    --unbegun_;
    for (const Sink& s : f.sinks) {
      if (s.kind != Sink::tx) continue;
      f.from = k + p_.timing.begin_to_move;
      ports_.lanes[s.index].begin_send(k);
    }
    if (f.kind == Flow::read) {
      ports_.channels[f.index].begin_read(k);
    } else if (f.kind == Flow::lane) {
      ports_.lanes[f.index].begin_relay(k);
    }
  }
  return moved;
}

// ---- beats ----

bool Switch::source_ready(const Flow& f, Cycle k) const {
  switch (f.kind) {
    case Flow::read:
      return ports_.channels[f.index].beat_ready(k);
    case Flow::lane:
      return ports_.lanes[f.index].beat_ready(k);
    case Flow::result:
      return ports_.slot.result_ready(f.index);
  }
  return false;
}

Switch::Stall Switch::sinks_ready(const Flow& f, Time before) const {
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) {
      if (!ports_.lanes[s.index].out.room(before)) return kWire;
    } else if (s.kind == Sink::write) {
      if (ports_.channels[s.index].full()) return kMemory;
    } else if (ports_.slot.full(s.index)) {
      return kOperator;
    }
  }
  return kNone;
}

bool Switch::move_beats(Cycle k, Time before) {
  bool moved = false;
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
        if (step_.due_fault(k)) return true;
        continue;
      }
    }
    ++stalls_[f.stall];
  }
  return moved;
}

void Switch::move(Flow& f, Cycle k) {
  const Beat* beat = &beat_;
  if (f.kind == Flow::read) {
    ports_.channels[f.index].read(beat_);
  } else if (f.kind == Flow::lane) {
    beat = &ports_.lanes[f.index].in.front();
  } else {
    ports_.slot.result(f.index, beat_);
  }
  const bool last = beat->last;
  for (const Sink& s : f.sinks) {
    if (s.kind == Sink::tx) {
      ports_.lanes[s.index].send_beat(*beat, k);
    } else if (s.kind == Sink::write) {
      ports_.channels[s.index].write(*beat, k);
      if (step_.due_fault(k)) return;
    } else {
      ports_.slot.push(s.index, *beat);
    }
  }
  if (f.kind == Flow::lane) ports_.lanes[f.index].pop(last, k);
  if (!last) return;
  f.finished = true;
  if (f.kind == Flow::read) ports_.channels[f.index].end_read();
}

bool Switch::results_moved() const {
  return std::all_of(flows_.begin(), flows_.end(),
                     [](const Flow& f) { return f.kind != Flow::result || f.finished; });
}

// ---- when something can happen next ----

Cycle Switch::next(Cycle now) const {
  Cycle next = kNeverCycle;
  const Cycle begin = step_.go_edge() + p_.timing.go_to_begin;
  if (unbegun_ != 0 && now <= begin) next = begin;
  for (const Flow& f : flows_) {
    if (f.finished || !f.begun) continue;
    Cycle ready = kNeverCycle;
    if (f.kind == Flow::result) {
      if (source_ready(f, now)) ready = now;
    } else {
      ready = f.kind == Flow::read ? ports_.channels[f.index].beat_from() : ports_.lanes[f.index].beat_from();
    }
    if (ready == kNeverCycle) continue;
    ready = std::max(ready, f.from);
    // From there on it waits for another thing, which is counted apart.
    if (f.stall != kSource) {
      for (const Sink& s : f.sinks) {
        if (s.kind == Sink::tx) ready = ports_.lanes[s.index].sees_room(ready);
        // Registers that are full before an operator that stands still: nothing but another input ends that.
        if (s.kind == Sink::feed && ports_.slot.holds_all(s.index)) ready = kNeverCycle;
      }
    }
    next = std::min(next, ready);
  }
  return next;
}

// ---- reports ----

void Switch::waiting(const std::function<void(const std::string&)>& add) const {
  for (const Flow& f : flows_) {
    if (f.finished || (f.stall != kWire && f.stall != kMemory)) continue;
    add(std::string(f.kind == Flow::read ? "R#" : "rx lane ") + std::to_string(f.index) +
        (f.stall == kWire ? " waits for the wire" : " waits for a write channel"));
  }
}

void Switch::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  static constexpr const char* kNames[kStalls] = {"", "begin", "source", "wire", "memory", "operator"};
  for (unsigned s = kBegin; s < kStalls; ++s) sink(prefix + "stall." + kNames[s], stalls_[s]);
}

}  // namespace polyloom::collective
