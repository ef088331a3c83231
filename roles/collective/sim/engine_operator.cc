// SPDX-License-Identifier: Apache-2.0
// The data-processing slot: beats of the switch into the operator of the step and out again. The operator's
// own cycles: blocks/operators/sim/operator.h.
#include <algorithm>
#include <bit>
#include <cstring>

#include "roles/collective/sim/engine.h"

namespace polyloom::collective {
namespace {

namespace op = blocks::operators;

op::Beat to_operator(const Beat& b) {
  op::Beat out;
  std::memcpy(out.word.data(), b.words.data(), kBeatBytes);
  out.keep = b.bytes == kBeatBytes ? op::kKeepAll : (1u << b.bytes) - 1;
  out.last = b.last;
  return out;
}

}  // namespace

/// The configuration of the step that go has made active.
void Engine::load_operator() {
  std::vector<op::Config> configs(p_.slot_ports());
  for (const Instruction& i : shadow_) {
    if (i.op != Op::config) continue;
    configs[i.index] = {true, static_cast<op::Kind>(i.extra & 0xff), i.base,
                        static_cast<std::uint64_t>(i.stride)};
  }
  slot_->step(configs);
}

/// What stands in the switch's registers goes to the inputs that are ready.
bool Engine::feed_operator(Cycle k) {
  bool moved = false;
  for (const unsigned i : active_feeds_) {
    Feed& feed = feeds_[i];
    feed.held += feed.coming;
    feed.coming = 0;
    feed.full = feed.held == kSwitchBeats;
    // In the clock of go the operator takes its configuration, and no beat.
    if (feed.held == 0 || k == step_go_ || (slot_->ready() >> i & 1) == 0) continue;
    slot_->push(i, to_operator(feed.beats[0]));
    feed.beats[0] = feed.beats[1];
    --feed.held;
    moved = true;
  }
  return moved;
}

const Beat& Engine::result_beat(unsigned output) {
  const op::Beat& from = slot_->front(output);
  std::memcpy(beat_.words.data(), from.word.data(), kBeatBytes);
  beat_.bytes = static_cast<std::uint8_t>(std::popcount(from.keep));
  beat_.last = from.last;
  if (beat_.bytes < kBeatBytes) {
    std::memset(reinterpret_cast<std::uint8_t*>(beat_.words.data()) + beat_.bytes, 0,
                kBeatBytes - beat_.bytes);
  }
  slot_->pop(output);
  return beat_;
}

/// The clock edge of the operator, its errors, and whether its part of the step is over.
bool Engine::clock_operator(Cycle k) {
  // Its clock alone is no progress: the watchdog counts beats.
  if (!slot_->quiet()) slot_->clock();
  if (slot_->errors() != 0) {
    if (k == step_go_) return false;
    const bool length = (slot_->errors() & op::kErrorLength) != 0;
    fault(k, length ? Fault::length : Fault::operator_error, 0xff,
          slot_->status(0) | slot_->status(op::Slot::kStatusStride));
    return true;
  }
  const bool fed = std::all_of(active_feeds_.begin(), active_feeds_.end(), [&](unsigned i) {
    return feeds_[i].finished && feeds_[i].held + feeds_[i].coming == 0;
  });
  const bool out = std::all_of(flows_.begin(), flows_.end(),
                               [](const Flow& f) { return f.kind != Flow::result || f.finished; });
  if (!fed || !out || !slot_->idle()) return false;
  operator_active_ = false;
  part_done(k + p_.timing.operator_to_done);
  return true;
}

}  // namespace polyloom::collective
