// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/operator_port.h"

#include <algorithm>
#include <bit>
#include <cstring>

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

OperatorPort::OperatorPort(const CollectiveParams& params, RunningStep& step) : p_(params), step_(step) {
  if (p_.operator_ports == 0) return;
  std::uint64_t kinds = 0;
  for (const OperatorKind kind : p_.operators) kinds |= std::uint64_t{1} << static_cast<unsigned>(kind);
  slot_.emplace(kinds, op::SlotParams{.inputs = p_.operator_ports,
                                      .outputs = p_.operator_ports,
                                      .record_beats = p_.record_beats,
                                      .partitions = p_.partitions});
  feeds_.resize(p_.slot_ports());
}

void OperatorPort::load_feed(unsigned input) {
  feeds_[input] = {};
  active_feeds_.push_back(input);
}

void OperatorPort::configure(std::span<const Instruction> step) {
  std::vector<op::Config> configs(p_.slot_ports());
  for (const Instruction& i : step) {
    if (i.op != Op::config) continue;
    configs[i.index] = {true, static_cast<op::Kind>(i.extra & 0xff), i.base,
                        static_cast<std::uint64_t>(i.stride)};
  }
  slot_->step(configs);
}

void OperatorPort::leave() {
  clear_step();
  if (!slot_) return;
  slot_->flush();
  slot_->clock();
}

bool OperatorPort::feed(Cycle k) {
  bool moved = false;
  for (const unsigned i : active_feeds_) {
    Feed& feed = feeds_[i];
    feed.held += feed.coming;
    feed.coming = 0;
    feed.full = feed.held == kSwitchBeats;
    // In the clock of go the operator takes its configuration, and no beat.
    if (feed.held == 0 || k == step_.go_edge() || (slot_->ready() >> i & 1) == 0) continue;
    slot_->push(i, to_operator(feed.beats[0]));
    feed.beats[0] = feed.beats[1];
    --feed.held;
    moved = true;
  }
  return moved;
}

void OperatorPort::result(unsigned output, Beat& into) {
  const op::Beat& from = slot_->front(output);
  std::memcpy(into.words.data(), from.word.data(), kBeatBytes);
  into.bytes = static_cast<std::uint8_t>(std::popcount(from.keep));
  into.last = from.last;
  if (into.bytes < kBeatBytes) {
    std::memset(reinterpret_cast<std::uint8_t*>(into.words.data()) + into.bytes, 0, kBeatBytes - into.bytes);
  }
  slot_->pop(output);
}

bool OperatorPort::clock(Cycle k, bool moved_out) {
  // Its clock alone is no progress: the watchdog counts beats.
  if (!slot_->quiet()) slot_->clock();
  if (slot_->errors() != 0) {
    if (k == step_.go_edge()) return false;
    const bool length = (slot_->errors() & op::kErrorLength) != 0;
    step_.fault(k, length ? Fault::length : Fault::operator_error, kNoLane,
                slot_->status(0) | slot_->status(op::Slot::kStatusStride));
    return true;
  }
  const bool fed = std::all_of(active_feeds_.begin(), active_feeds_.end(), [&](unsigned i) {
    return feeds_[i].finished && feeds_[i].held + feeds_[i].coming == 0;
  });
  if (!fed || !moved_out || !slot_->idle()) return false;
  active_ = false;
  step_.part_done(k + p_.timing.operator_to_done);
  return true;
}

bool OperatorPort::quiet() const {
  if (active_ && !slot_->quiet()) return false;
  return std::none_of(active_feeds_.begin(), active_feeds_.end(), [&](unsigned i) {
    return feeds_[i].coming != 0 || (feeds_[i].held != 0 && (slot_->ready() >> i & 1) != 0);
  });
}

}  // namespace polyloom::collective
