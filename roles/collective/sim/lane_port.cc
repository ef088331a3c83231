// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/lane_port.h"

namespace polyloom::collective {

// ---- the send ----

void LanePort::load_send(const Instruction& i) {
  send_ = {true, false, (i.flags & kEager) != 0, (i.flags & kPulseOnly) != 0, i.extra};
  step_.expect();
}

void LanePort::begin_send(Cycle k) {
  send_.begun = true;
  const std::uint32_t block = out.begun++;
  if (send_.pulse_only) {
    step_.part_done(k + p_.timing.sent_to_done);
  } else if (p_.block_check) {
    out.send_signature(edges_.at(k + p_.timing.tx_cycles), static_cast<std::uint16_t>(block),
                       send_.signature);
  }
}

void LanePort::send_beat(const Beat& beat, Cycle k) {
  out.send_beat(edges_.at(k + p_.timing.switch_cycles + p_.timing.tx_cycles), beat);
  if (!beat.last) return;
  Cycle gone = edges_.before(out.last_departure());
  if (p_.block_check) {
    out.send_control(edges_.at(gone + p_.timing.last_to_check),
                     out.check_word(static_cast<std::uint16_t>(out.begun - 1)));
    gone = edges_.before(out.last_departure());
  }
  step_.part_done(gone + p_.timing.sent_to_done);
}

// ---- the accept ----

void LanePort::load_accept(const Instruction& i) {
  accept_.active = true;
  accept_.eager = (i.flags & kEager) != 0;
  accept_.pulse_only = (i.flags & kPulseOnly) != 0;
  accept_.signature = i.extra;
  step_.expect();
}

void LanePort::begin_accept(Cycle k, bool relays) {
  accept_.block = in.begun++;
  if (!accept_.eager && !accept_.pulse_only && (in.held() != 0 || in.holds_signature())) {
    step_.fault(k + 1, Fault::unexpected, number_, in.held() != 0 ? in.front().words[0] : 0);
  }
  if (!accept_.pulse_only) {
    if (!p_.block_check) accept_.from = k + p_.timing.go_to_begin;
    accept_.relay_pulse = relays && !accept_.eager;
  }
  if (!accept_.eager && !accept_.relay_pulse) out.send_pulse(edges_.at(k + p_.timing.go_to_pulse));
  if (accept_.pulse_only) {
    accept_.active = false;
    step_.part_done(k + 1);
  }
}

void LanePort::pop(bool last, Cycle k) {
  in.pop();
  if (!last) return;
  accept_.moved = true;
  accept_.moved_at = k;
  if (accept_.eager) out.send_pulse(edges_.at(k + p_.timing.go_to_pulse));
}

bool LanePort::finish_accept(Cycle k) {
  Accept& a = accept_;
  if (a.from == kNeverCycle && !a.pulse_only && in.holds_signature()) {
    a.from =
        std::max(step_.go_edge(), in.signature_at()) + p_.timing.go_to_begin + p_.timing.signature_compare;
    const std::uint64_t word = in.take_signature();
    if (word >> 32 != a.signature || (word >> 16 & 0xffff) != (a.block & 0xffff)) {
      step_.fault(k, Fault::signature, number_, std::uint64_t{a.signature} << 32 | word >> 32);
      return false;
    }
  }
  if (!a.moved || (p_.block_check && in.checked_at() == kNeverCycle)) return false;
  Cycle at = a.moved_at + p_.timing.taken_to_done;
  if (p_.block_check) {
    at = std::max(a.moved_at + p_.timing.moved_to_done, in.checked_at() + p_.timing.check_to_done);
  }
  in.forget_check();
  a.active = false;
  step_.part_done(at);
  return true;
}

// ---- the node ----

void LanePort::hello(Cycle c, std::uint16_t node) {
  out.send_control(edges_.at(c + p_.timing.tx_cycles), static_cast<std::uint64_t>(LaneControl::hello) |
                                                           std::uint64_t{number_} << 8 |
                                                           std::uint64_t{node} << 16 | kControlMark << 48);
}

void LanePort::abort(Cycle k, std::uint16_t node, Fault code) {
  out.abort(edges_.at(k + 1 + p_.timing.tx_cycles), static_cast<std::uint64_t>(LaneControl::abort) |
                                                        static_cast<std::uint64_t>(code) << 8 |
                                                        std::uint64_t{node} << 16 | kControlMark << 48);
}

// ---- reports ----

std::string LanePort::name() const {
  const std::string text = "lane " + std::to_string(number_);
  if (in.peer() >> 31 == 0) return text;
  return text + " (node " + std::to_string(in.peer() >> 8 & 0xffff) + ")";
}

void LanePort::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  sink(prefix + "beats_in", in.counted.beats);
  sink(prefix + "beats_out", out.counted.beats);
  sink(prefix + "blocks_in", in.counted.blocks);
  sink(prefix + "blocks_out", out.counted.blocks);
  sink(prefix + "pulses_in", in.counted.pulses);
  sink(prefix + "pulses_out", out.counted.pulses);
}

void LanePort::digest(fabric::Digest& d) const {
  for (const std::uint64_t v : {out.counted.beats, in.counted.beats, out.counted.pulses, in.counted.pulses,
                                std::uint64_t{in.pulses()}, std::uint64_t{out.begun}, std::uint64_t{in.begun},
                                std::uint64_t{in.held()}, std::uint64_t{in.peer()}}) {
    d.add(v);
  }
}

}  // namespace polyloom::collective
