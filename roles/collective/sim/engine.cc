// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/engine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace polyloom::collective {

Engine::Engine(const CollectiveParams& params, const std::vector<blocks::WireEnds>& lanes,
               blocks::BackingStore* memory, std::function<void(const ProgramEnd&)> ended,
               fabric::TraceTrack* trace)
    : p_(params),
      edges_(params.clock_hz),
      ended_(std::move(ended)),
      trace_(trace),
      step_(edges_, trace),
      ports_(p_, edges_, lanes, memory, step_),
      sequencer_(p_, ports_, step_),
      switch_(p_, ports_, step_),
      burst_(p_, edges_, ports_, switch_, step_) {
  // Arrivals of an edge are seen by the switch at the next: no other value is built into the loop.
  if (p_.timing.switch_cycles != 1) throw std::logic_error("collective: switch_cycles is 1");
}

// ---- time ----

void Engine::collect(Time until) {
  for (LanePort& port : ports_.lanes) port.in.collect(until);
}

void Engine::transmit(Time until) {
  for (LanePort& port : ports_.lanes) port.out.transmit(until);
}

void Engine::run(Cycle to) {
  while (now_ < to) {
    if (const Cycle passed = burst(to); passed != 0) {
      now_ += passed;
      active_cycles_ += passed;
      burst_cycles_ += passed;
      continue;
    }
    const bool moved = cycle(now_);
    if (moved) step_.progress(now_);
    ++now_;
    if (moved || now_ >= to) continue;
    const Cycle wake = std::clamp(next_wake(), now_, to);
    if (step_.active()) {
      switch_.wait(wake - now_);
      active_cycles_ += wake - now_;
    }
    now_ = wake;
  }
}

Cycle Engine::burst(Cycle to) {
  if (!step_.active() || !sequencer_.waits() || step_.found() || state_ != State::running) return 0;
  return burst_.run(now_, to, watchdog);
}

Cycle Engine::next_wake() const {
  Cycle next = kNeverCycle;
  const auto sooner = [&](Cycle c) { next = std::min(next, c); };
  for (const LanePort& port : ports_.lanes) {
    const Time arrival = port.in.next_arrival();
    if (arrival != fabric::kNever) sooner(edges_.from(arrival));
    sooner(port.in.next_pulse());
  }
  if (step_.found()) sooner(step_.found()->at);
  if (state_ != State::running) return next;
  sooner(sequencer_.next(now_));
  if (!step_.active()) return next;
  if (watchdog != 0) sooner(step_.last_progress() + watchdog);
  for (const unsigned c : ports_.active_channels) sooner(ports_.channels[c].next(now_));
  if (!ports_.slot.quiet()) return now_;
  sooner(switch_.next(now_));
  return std::max(next, now_);
}

Cycle Engine::next_edge() const {
  const Cycle wake = next_wake();
  return wake == kNeverCycle ? wake : std::max(wake, now_);
}

Time Engine::next_departure() const {
  Time next = fabric::kNever;
  for (const LanePort& port : ports_.lanes) next = std::min(next, port.out.next_departure());
  return next;
}

// ---- an edge; each is true if anything changed ----

bool Engine::cycle(Cycle k) {
  bool moved = arrivals(k);
  moved |= stop_if_faulty(k);
  if (state_ != State::running) return moved;
  moved |= sequence(k);
  if (!step_.active()) return moved;
  ++active_cycles_;
  moved |= step_edge(k);
  return moved || watch(k);
}

bool Engine::arrivals(Cycle k) {
  const Time now = edges_.at(k);
  bool moved = false;
  for (unsigned l = 0; l < lanes(); ++l) {
    LaneIn& lane = ports_.lanes[l].in;
    if (lane.next_arrival() <= now) {
      moved = true;
      if (state_ == State::stopped) {
        lane.discard();
        continue;
      }
      const LaneFault found = lane.receive(k, now);
      if (found.code != 0) stop(k, static_cast<Fault>(found.code), l, found.value);
    }
    if (lane.next_pulse() <= k) moved |= lane.count_pulses(k);
  }
  return moved;
}

bool Engine::sequence(Cycle k) {
  const Sequencer::Edge edge = sequencer_.clock(k);
  switch (edge.does) {
    case Sequencer::Does::nothing:
      return false;
    case Sequencer::Does::reads:
      return true;
    case Sequencer::Does::go:
      go(k, edge);
      return true;
    case Sequencer::Does::end:
      end(k, edge.pc);
      return true;
    case Sequencer::Does::refuses:
      step_.name(edge.pc);
      stop(k, Fault::bad_program, kNoLane, edge.refused);
      return true;
  }
  return false;
}

void Engine::go(Cycle k, const Sequencer::Edge& edge) {
  const Instruction& i = edge.instruction;
  step_.clear();
  step_.go(k, edge.pc, i);
  const bool known = (i.flags & ~kTogether) == 0 && (i.index < kMarks || i.index == 0xff);
  if (!known || !switch_.load(sequencer_.shadow())) {
    stop(k, Fault::bad_program, kNoLane, i.words()[0]);
    return;
  }
  ++steps_;
  step_.start();
  if (ports_.slot.active()) ports_.slot.configure(sequencer_.shadow());
  sequencer_.loaded();
  switch_.begin_accepts(k);
}

/// All that the ports and the switch do for the step at an edge, in the order of the hardware's registers.
bool Engine::step_edge(Cycle k) {
  bool moved = switch_.begin_blocks(k);
  moved |= memories(k);
  if (stop_if_faulty(k)) return true;
  if (ports_.slot.active()) moved |= ports_.slot.feed(k);
  moved |= switch_.move_beats(k, edges_.at(k - 1));  // go was at the edge before, or earlier
  if (stop_if_faulty(k)) return true;
  moved |= finish_accepts(k);
  if (stop_if_faulty(k)) return true;
  if (ports_.slot.active()) moved |= ports_.slot.clock(k, switch_.results_moved());
  return stop_if_faulty(k) || moved;
}

bool Engine::memories(Cycle k) {
  bool moved = false;
  for (const unsigned c : ports_.active_channels) {
    moved |= ports_.channels[c].clock(k);
    if (step_.due_fault(k)) break;
  }
  return moved;
}

bool Engine::finish_accepts(Cycle k) {
  std::vector<unsigned>& active = ports_.active_accepts;
  const std::size_t before = active.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < before; ++i) {
    const unsigned l = active[i];
    const bool finished = ports_.lanes[l].finish_accept(k);
    if (step_.due_fault(k)) return true;
    if (!finished) active[kept++] = l;
  }
  active.resize(kept);
  return kept != before;
}

/// Nothing has moved at this edge.
bool Engine::watch(Cycle k) {
  if (watchdog == 0 || state_ != State::running || k - step_.last_progress() < watchdog) return false;
  std::uint64_t pulse = 0, data = 0;
  std::uint8_t far = kNoLane;  // the first that the value has no bit for
  for (unsigned l = 0; l < lanes(); ++l) {
    const bool no_pulse = ports_.lanes[l].lacks_pulse(), no_data = ports_.lanes[l].lacks_data();
    if (l < 32) {
      pulse |= std::uint64_t{no_pulse} << l;
      data |= std::uint64_t{no_data} << l;
    } else if (far == kNoLane && (no_pulse || no_data)) {
      far = static_cast<std::uint8_t>(l);
    }
  }
  stop(k, Fault::timeout, far, pulse | data << 32);
  return true;
}

// ---- programs and faults ----

bool Engine::start(Cycle c, std::uint64_t index) {
  if (state_ != State::idle || !sequencer_.has(index)) return false;
  state_ = State::running;
  ++programs_;
  begin_ = c;
  sequencer_.start(c, static_cast<unsigned>(index));
  step_.begin_program(c, static_cast<unsigned>(index));
  return true;
}

void Engine::hello(Cycle c) {
  if (state_ != State::idle) return;
  for (LanePort& port : ports_.lanes) {
    if (port.connected()) port.hello(c, node);
  }
}

bool Engine::clear() {
  if (state_ == State::running) return false;
  state_ = State::idle;
  for (LanePort& port : ports_.lanes) port.clear();
  return true;
}

void Engine::end(Cycle k, unsigned pc) {
  state_ = State::idle;
  finish_ = k;
  if (trace_ != nullptr) trace_->complete("program", edges_.at(begin_), edges_.at(k), 1);
  ended_({0, static_cast<std::uint16_t>(pc), kNoLane, begin_, k, 0});
}

bool Engine::stop_if_faulty(Cycle k) {
  if (!step_.due_fault(k) || state_ == State::stopped) return false;
  const FoundFault fault = *step_.found();
  stop(k, fault.code, fault.lane, fault.value);
  return true;
}

/// The first fault: later ones follow from it.
void Engine::stop(Cycle k, Fault code, unsigned lane, std::uint64_t value) {
  if (state_ == State::stopped) return;
  const bool ran = state_ == State::running;
  state_ = State::stopped;
  finish_ = k;
  ++faults_;
  for (LanePort& port : ports_.lanes) {
    if (port.connected()) port.abort(k, node, code);
  }
  sequencer_.leave();
  switch_.clear_step();
  ports_.leave();
  step_.leave();
  ended_({static_cast<std::uint8_t>(code), static_cast<std::uint16_t>(step_.pc()),
          static_cast<std::uint8_t>(lane), ran ? begin_ : k, k, value});
}

// ---- reports ----

std::string Engine::waiting_for() const {
  if (state_ == State::stopped) return "stopped by a fault in cycle " + std::to_string(finish_);
  if (state_ != State::running) return {};
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (step_.active()) {
    for (const LanePort& port : ports_.lanes) port.waiting(add);
    if (ports_.slot.active() && text.empty()) add("the operator is not done");
    switch_.waiting(add);
  }
  return "step at instruction " + std::to_string(step_.pc()) + " of the program that began in cycle " +
         std::to_string(begin_) + (text.empty() ? "" : ": " + text);
}

void Engine::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  sink(prefix + "programs", programs_);
  sink(prefix + "steps", steps_);
  sink(prefix + "faults", faults_);
  sink(prefix + "step_cycles", active_cycles_);
  switch_.counters(prefix, sink);
  for (unsigned l = 0; l < lanes(); ++l) {
    ports_.lanes[l].counters(prefix + "lane." + std::to_string(l) + ".", sink);
  }
  for (unsigned c = 0; c < p_.channels; ++c) {
    ports_.channels[c].counters(prefix + "channel." + std::to_string(c) + ".", sink);
  }
  if (!p_.stored) sink(prefix + "timing_only", 1);
}

void Engine::reset_counters() {
  programs_ = steps_ = faults_ = active_cycles_ = 0;
  switch_.reset_counters();
  for (LanePort& port : ports_.lanes) port.reset_counters();
  for (ChannelPort& port : ports_.channels) port.reset_counters();
}

void Engine::digest(fabric::Digest& d) const {
  for (const std::uint64_t v : {static_cast<std::uint64_t>(state_), begin_, finish_,
                                std::uint64_t{sequencer_.pc()}, steps_, active_cycles_}) {
    d.add(v);
  }
  switch_.digest(d);
  for (const LanePort& port : ports_.lanes) port.digest(d);
  ports_.slot.digest(d);
  for (const ChannelPort& port : ports_.channels) port.digest(d);
}

}  // namespace polyloom::collective
