// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/sequencer.h"

#include <algorithm>

namespace polyloom::collective {

void Sequencer::start(Cycle c, unsigned index) {
  pc_ = index;
  fetch_at_ = c + 1 + p_.command_cycles;
  shadow_.clear();
  first_step_ = true;
  waits_ = false;
}

Sequencer::Edge Sequencer::clock(Cycle k) {
  if (k < fetch_at_) return {Does::nothing, {}};
  // The RTL's counter is at 0 then, and shows an instruction of an op that is none.
  if (pc_ >= p_.program_size) return {Does::refuses, {}, 0, 0xff};
  const Instruction i = Instruction::from_words(&program_[std::size_t{pc_} * kInstructionWords]);
  Does does = Does::reads;
  if (i.op == Op::go || i.op == Op::end) {
    if (step_.active() || k < step_free()) {
      const bool news = !waits_;
      waits_ = true;
      return {news ? Does::reads : Does::nothing, {}};
    }
    waits_ = false;
    does = i.op == Op::go ? Does::go : Does::end;
  } else if (legal(i)) {
    shadow_.push_back(i);
  } else {
    return {Does::refuses, i, pc_, i.words()[0]};
  }
  fetch_at_ = k + 1;
  return {does, i, pc_++};
}

Cycle Sequencer::next(Cycle now) const {
  if (!waits_) return std::max(now, fetch_at_);
  return step_.active() ? kNeverCycle : std::max(now, step_free());
}

/// By itself: indices, flags and patterns that this node has. A second one for the same engine is refused
/// too.
bool Sequencer::legal(const Instruction& i) const {
  const auto again = [&](const Instruction& other) { return other.op == i.op && other.index == i.index; };
  if (std::any_of(shadow_.begin(), shadow_.end(), again)) return false;
  const bool lane = i.index < ports_.lanes.size() && ports_.lanes[i.index].connected();
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

bool Sequencer::has_source(std::uint8_t source) const {
  if (source >= kFromOperator) return source - kFromOperator < static_cast<int>(p_.slot_ports());
  if (source >= kFromLane) return source - kFromLane < static_cast<int>(ports_.lanes.size());
  return source < p_.channels;
}

}  // namespace polyloom::collective
