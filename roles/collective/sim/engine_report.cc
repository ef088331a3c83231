// SPDX-License-Identifier: Apache-2.0
// What the engine tells of itself: who waits for whom, counters, digest.
#include <algorithm>

#include "roles/collective/sim/engine.h"

namespace polyloom::collective {
namespace {

std::string peer_of(const Lane& lane) {
  if (lane.peer() >> 31 == 0) return "";
  return " (node " + std::to_string(lane.peer() >> 8 & 0xffff) + ")";
}

}  // namespace

std::string Engine::waiting_for() const {
  if (state_ == State::stopped) return "stopped by a fault in cycle " + std::to_string(finish_);
  if (state_ != State::running) return {};
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (step_active_) {
    for (unsigned l = 0; l < lanes_.size(); ++l) {
      const std::string lane = "lane " + std::to_string(l) + peer_of(lanes_[l]);
      if (sends_[l].active && !sends_[l].begun && !may_begin(l)) {
        add("send on " + lane + " has no pulse from the other end (" + std::to_string(lanes_[l].pulses()) +
            " came, block " + std::to_string(lanes_[l].sends) + ")");
      }
      const Take& take = takes_[l];
      if (take.active && take.relay_pulse) {
        add("take on " + lane + " waits for the lanes that it is copied to");
      } else if (take.active && !take.pulse_only && !take.moved && lanes_[l].held() == 0) {
        add("take on " + lane + " has no data");
      } else if (take.active && take.moved && p_.block_check) {
        add("take on " + lane + " has no check frame");
      }
    }
    if (operator_active_ && text.empty()) add("the operator is not done");
    for (const Flow& f : flows_) {
      if (f.finished || (f.stall != kWire && f.stall != kMemory)) continue;
      add(std::string(f.kind == Flow::read ? "R#" : "rx lane ") + std::to_string(f.index) +
          (f.stall == kWire ? " waits for the wire" : " waits for a write channel"));
    }
  }
  return "step at instruction " + std::to_string(step_pc_) + " of the program that began in cycle " +
         std::to_string(begin_) + (text.empty() ? "" : ": " + text);
}

void Engine::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  sink(prefix + "programs", programs_);
  sink(prefix + "steps", steps_);
  sink(prefix + "faults", faults_);
  sink(prefix + "step_cycles", active_cycles_);
  static constexpr const char* kNames[kStalls] = {"", "begin", "source", "wire", "memory", "operator"};
  for (unsigned s = kBegin; s < kStalls; ++s) sink(prefix + "stall." + kNames[s], stalls_[s]);
  for (unsigned l = 0; l < lanes_.size(); ++l) {
    const std::string lane = prefix + "lane." + std::to_string(l) + ".";
    const LaneCounters& n = lanes_[l].counted;
    sink(lane + "beats_in", n.beats_in);
    sink(lane + "beats_out", n.beats_out);
    sink(lane + "blocks_in", n.blocks_in);
    sink(lane + "blocks_out", n.blocks_out);
    sink(lane + "pulses_in", n.pulses_in);
    sink(lane + "pulses_out", n.pulses_out);
  }
  for (unsigned c = 0; c < p_.channels; ++c) {
    const std::string channel = prefix + "channel." + std::to_string(c) + ".";
    sink(channel + "beats_read", readers_[c].beats);
    sink(channel + "beats_written", writers_[c].beats);
    sink(channel + "conflicts", channels_[c].conflicts());
  }
  if (memory_ == nullptr) sink(prefix + "timing_only", 1);
}

void Engine::reset_counters() {
  programs_ = steps_ = faults_ = active_cycles_ = 0;
  stalls_ = {};
  for (Lane& lane : lanes_) lane.counted = {};
  for (Reader& r : readers_) r.beats = 0;
  for (Writer& w : writers_) w.beats = 0;
}

void Engine::digest(fabric::Digest& d) const {
  for (const std::uint64_t v :
       {static_cast<std::uint64_t>(state_), begin_, finish_, std::uint64_t{pc_}, steps_, active_cycles_,
        stalls_[kBegin], stalls_[kSource], stalls_[kWire], stalls_[kMemory], stalls_[kOperator]}) {
    d.add(v);
  }
  for (const Lane& lane : lanes_) lane.digest(d);
  if (slot_) slot_->digest(d);
  for (unsigned c = 0; c < p_.channels; ++c) {
    d.add(readers_[c].beats);
    d.add(writers_[c].beats);
    d.add(writers_[c].hash);
    d.add(channels_[c].conflicts());
  }
}

}  // namespace polyloom::collective
