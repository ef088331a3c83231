// SPDX-License-Identifier: Apache-2.0
// The sequencer: from instructions to a step, and how programs end.
#include <algorithm>

#include "roles/collective/sim/engine.h"

namespace polyloom::collective {
namespace {

constexpr std::uint64_t kLargeWrite = 8 << 20;  ///< bytes from which on the system is told of a write

}  // namespace

bool Engine::start(Cycle c, std::uint64_t index) {
  if (state_ != State::idle || index >= p_.program_size) return false;
  state_ = State::running;
  ++programs_;
  begin_ = last_progress_ = c;
  pc_ = static_cast<unsigned>(index);
  fetch_at_ = c + 1 + p_.command_cycles;
  shadow_.clear();
  first_step_ = true;
  waits_ = step_active_ = false;
  step_pc_ = pc_;
  step_done_ = c;
  return true;
}

void Engine::hello(Cycle c) {
  for (unsigned l = 0; l < lanes_.size(); ++l) {
    if (!lanes_[l].connected() || state_ != State::idle) continue;
    lanes_[l].send_control(at(c + p_.timing.tx_cycles), static_cast<std::uint64_t>(LaneControl::hello) |
                                                            std::uint64_t{l} << 8 |
                                                            std::uint64_t{node} << 16 | kControlMark << 48);
  }
}

bool Engine::clear() {
  if (state_ == State::running) return false;
  state_ = State::idle;
  for (Lane& lane : lanes_) lane.clear();
  return true;
}

Cycle Engine::step_free() const {
  return first_step_ ? fetch_at_ : step_done_ + p_.timing.done_to_go + p_.step_cycles;
}

/// One instruction a cycle; go and end wait for the step before them.
bool Engine::sequence(Cycle k) {
  if (k < fetch_at_) return false;
  if (pc_ >= p_.program_size) {
    step_pc_ = 0;  // where the RTL's counter is; it shows an instruction of an op that is none
    fault(k, Fault::bad_program, 0xff, 0xff);
    return true;
  }
  const Instruction i = Instruction::from_words(&program_[std::size_t{pc_} * kInstructionWords]);
  if (i.op == Op::go || i.op == Op::end) {
    if (step_active_ || k < step_free()) {
      const bool news = !waits_;
      waits_ = true;
      return news;
    }
    waits_ = false;
    if (i.op == Op::end) {
      end(k);
    } else {
      go(k, i);
    }
  } else if (legal(i)) {
    shadow_.push_back(i);
  } else {
    step_pc_ = pc_;
    fault(k, Fault::bad_program, 0xff, i.words()[0]);
    return true;
  }
  ++pc_;
  fetch_at_ = k + 1;
  return true;
}

/// By itself: indices, flags and patterns that this node has. A second one for the same engine is refused
/// too.
bool Engine::legal(const Instruction& i) const {
  const auto again = [&](const Instruction& other) { return other.op == i.op && other.index == i.index; };
  if (std::any_of(shadow_.begin(), shadow_.end(), again)) return false;
  const bool lane = i.index < lanes_.size() && lanes_[i.index].connected();
  const bool block = (i.flags & ~(kEager | kPulseOnly)) == 0 && i.flags != (kEager | kPulseOnly);
  switch (i.op) {
    case Op::read:
      return i.index < p_.channels && i.flags == 0 && legal_pattern(i, p_.channel.bytes);
    case Op::write:
      return i.index < p_.channels && (i.flags & ~kOpenEnd) == 0 && legal_pattern(i, p_.channel.bytes) &&
             has_source(i.source);
    case Op::send:
      return lane && block && ((i.flags & kPulseOnly) != 0 || has_source(i.source));
    case Op::take:
      return lane && block;
    case Op::feed:  // no way from the operator back into it, but from the first partition to the second
      return i.index < p_.slot_ports() && i.flags == 0 && has_source(i.source) &&
             (i.source < kFromOperator ||
              (static_cast<unsigned>(i.source - kFromOperator) < p_.operator_ports &&
               i.index >= p_.operator_ports));
    case Op::config: {
      const auto kind = static_cast<OperatorKind>(i.extra & 0xff);
      // Only partition is there twice.
      return i.index < (kind == OperatorKind::partition ? p_.slot_ports() : p_.operator_ports) &&
             i.flags == 0 && i.extra < 0x100 &&
             std::find(p_.operators.begin(), p_.operators.end(), kind) != p_.operators.end();
    }
    default:
      return false;
  }
}

bool Engine::has_source(std::uint8_t source) const {
  if (source >= kFromOperator) return source - kFromOperator < static_cast<int>(p_.slot_ports());
  if (source >= kFromLane) return source - kFromLane < static_cast<int>(lanes_.size());
  return source < p_.channels;
}

void Engine::go(Cycle k, const Instruction& i) {
  step_pc_ = pc_;
  step_go_ = step_done_ = k;
  mark_ = i.index;
  together_ = (i.flags & kTogether) != 0;
  const bool known = (i.flags & ~kTogether) == 0 && (i.index < kMarks || i.index == 0xff);
  if (!known || !load_step()) {
    fault(k, Fault::bad_program, 0xff, i.words()[0]);
    return;
  }
  first_step_ = false;
  ++steps_;
  step_active_ = parts_ != 0;
  if (!step_active_) step_over(k + 1);  // seen a cycle after go
  if (operator_active_) load_operator();
  shadow_.clear();
  begin_takes(k);
}

Engine::Flow* Engine::find_flow(std::uint8_t source) {
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

/// No streams, blocks or operator.
void Engine::clear_step() {
  flows_.clear();
  active_channels_.clear();
  active_takes_.clear();
  step_sends_.clear();
  active_feeds_.clear();
  operator_active_ = false;
  parts_ = unbegun_ = 0;
  for (Send& s : sends_) s = {};
  for (Take& t : takes_) t = {};
}

/// Makes the step of the shadow registers; false if they do not fit together.
bool Engine::load_step() {
  clear_step();
  for (const Instruction& i : shadow_) {
    if (i.op == Op::read) {
      Reader& r = readers_[i.index];
      r.active = true;
      r.begun = false;
      r.even = true;
      r.issue = r.take = PatternCursor(i);
      r.span = span_of(i);
      r.head = r.count = 0;
      flows_.push_back({Flow::read, i.index, false, false, kBegin, {}});
      active_channels_.push_back(i.index);
    } else if (i.op == Op::take) {
      Take& t = takes_[i.index];
      t.active = true;
      t.eager = (i.flags & kEager) != 0;
      t.pulse_only = (i.flags & kPulseOnly) != 0;
      t.signature = i.extra;
      ++parts_;
      if (!t.pulse_only) flows_.push_back({Flow::lane, i.index, false, false, kBegin, {}});
    } else if (i.op == Op::config) {
      operator_active_ = true;
      flows_.push_back({Flow::result, i.index, false, false, kBegin, {}});
    }
  }
  for (const Instruction& i : shadow_) {
    if (i.op != Op::write && i.op != Op::send && i.op != Op::feed) continue;
    if (i.op != Op::feed) ++parts_;
    const bool pulse_only = i.op == Op::send && (i.flags & kPulseOnly) != 0;
    if (i.op == Op::send) {
      sends_[i.index] = {true, false, (i.flags & kEager) != 0, pulse_only, i.extra};
      step_sends_.push_back(i.index);
    } else if (i.op == Op::feed) {
      if (!operator_active_) return false;
      feeds_[i.index] = {};
      feeds_[i.index].active = true;
      active_feeds_.push_back(i.index);
    } else {
      Writer& w = writers_[i.index];
      w.active = true;
      w.ended = w.full = false;
      w.open_end = (i.flags & kOpenEnd) != 0;
      w.data = w.grant = PatternCursor(i);
      w.span = span_of(i);
      const std::uint64_t size = w.span.high - w.span.low;
      if (memory_ != nullptr && size >= kLargeWrite && std::uint64_t{i.run_bytes} * i.runs >= size) {
        memory_->will_fill(i.index * p_.channel.bytes + w.span.low, size);
      }
      w.held = w.coming = 0;
      if (!readers_[i.index].active) active_channels_.push_back(i.index);
    }
    if (pulse_only) {
      ++unbegun_;
      continue;
    }
    Flow* flow = find_flow(i.source);
    if (flow == nullptr) return false;
    const auto kind = i.op == Op::send ? Sink::tx : i.op == Op::write ? Sink::write : Sink::feed;
    flow->sinks.push_back({kind, i.index});
  }
  for (Flow& f : flows_) {
    // An operator may keep an output for itself (a histogram); other beats must go somewhere.
    if (f.sinks.empty() && f.kind != Flow::result) return false;
  }
  std::erase_if(flows_, [](const Flow& f) { return f.sinks.empty(); });
  parts_ += operator_active_;
  unbegun_ += static_cast<unsigned>(flows_.size());
  return true;
}

/// Ready pulses, and what waits in the buffers.
void Engine::begin_takes(Cycle k) {
  for (unsigned l = 0; l < takes_.size(); ++l) {
    Take& take = takes_[l];
    if (!take.active) continue;
    take.block = lanes_[l].takes++;
    if (!take.eager && !take.pulse_only && (lanes_[l].held() != 0 || lanes_[l].holds_signature())) {
      fault_at(k + 1, Fault::unexpected, l, lanes_[l].held() != 0 ? lanes_[l].front().words[0] : 0);
    }
    if (!take.pulse_only) {
      active_takes_.push_back(l);
      if (!p_.block_check) take.from = k + p_.timing.go_to_begin;
      const Flow* flow = find_flow(static_cast<std::uint8_t>(kFromLane + l));
      const bool relay = std::any_of(flow->sinks.begin(), flow->sinks.end(),
                                     [](const Sink& s) { return s.kind == Sink::tx; });
      take.relay_pulse = relay && !take.eager;
    }
    if (!take.eager && !take.relay_pulse) lanes_[l].send_pulse(at(k + p_.timing.go_to_pulse));
    if (take.pulse_only) {
      take.active = false;
      part_done(k + 1);
    }
  }
}

void Engine::step_over(Cycle when) {
  step_done_ = when;
  if (mark_ < kMarks) marks_[mark_] = when;
}

void Engine::part_done(Cycle when) {
  step_done_ = std::max(step_done_, when);
  if (--parts_ != 0) return;
  step_active_ = false;
  step_over(step_done_);
  if (trace_ != nullptr) {
    trace_->complete("step " + std::to_string(step_pc_), at(step_go_), at(step_done_));
  }
}

void Engine::end(Cycle k) {
  state_ = State::idle;
  finish_ = k;
  if (trace_ != nullptr) trace_->complete("program", at(begin_), at(k), 1);
  ended_({0, static_cast<std::uint16_t>(pc_), 0xff, begin_, k, 0});
}

void Engine::leave_step() {
  step_active_ = waits_ = false;
  shadow_.clear();
  clear_step();
  pending_fault_.reset();
  if (slot_) {
    slot_->flush();
    slot_->clock();
  }
  for (Reader& r : readers_) r.active = r.begun = false, r.count = 0;
  for (Writer& w : writers_) w.active = false, w.held = w.coming = 0;
}

void Engine::fault_at(Cycle k, Fault code, unsigned lane, std::uint64_t value) {
  if (!pending_fault_) pending_fault_ = Pending{k, code, lane, value};
}

/// The first fault: later ones follow from it.
void Engine::fault(Cycle k, Fault code, unsigned lane, std::uint64_t value) {
  if (state_ == State::stopped) return;
  const bool ran = state_ == State::running;
  state_ = State::stopped;
  finish_ = k;
  ++faults_;
  const std::uint64_t word = static_cast<std::uint64_t>(LaneControl::abort) |
                             static_cast<std::uint64_t>(code) << 8 | std::uint64_t{node} << 16 |
                             kControlMark << 48;
  for (unsigned l = 0; l < lanes_.size(); ++l) {
    if (!lanes_[l].connected()) continue;
    lanes_[l].abort(at(k + 1 + p_.timing.tx_cycles), word);
  }
  leave_step();
  ended_({static_cast<std::uint8_t>(code), static_cast<std::uint16_t>(step_pc_),
          static_cast<std::uint8_t>(lane), ran ? begin_ : k, k, value});
}

}  // namespace polyloom::collective
