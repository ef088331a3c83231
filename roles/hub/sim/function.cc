// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/function.h"

#include <algorithm>
#include <bit>

namespace polyloom::hub {

using OperatorBeat = blocks::operators::Beat;
using blocks::operators::Config;
using blocks::operators::Kind;

namespace {

constexpr unsigned kBeatBytes = 32;  ///< of the operator socket
constexpr unsigned kFlagBytes = 8;

}  // namespace

Function::Function(const HubParams& params) : p_(params), writers_(params.lanes) {
  if (p_.kinds.empty()) return;
  std::uint64_t kinds = 0;
  for (const Kind kind : p_.kinds) kinds |= std::uint64_t{1} << static_cast<unsigned>(kind);
  blocks::operators::SlotParams shape = p_.operators;
  shape.inputs = 1;
  shape.outputs = p_.lanes;
  slot_.emplace(kinds, shape);
}

bool Function::begin(std::uint64_t word) {
  if (!slot_ || active_) return false;
  const std::uint64_t lanes = word >> 16 & 0xffff;
  std::vector<Config> configs(writers_.size());
  for (unsigned o = 0; o < writers_.size(); ++o) {
    Writer& w = writers_[o];
    w.used = (lanes >> o & 1) != 0;
    w.bytes = w.sent = w.busy = 0;
    w.held.clear();
    w.ended = w.done = false;
    configs[o] = {w.used, static_cast<Kind>(word >> 8 & 0xff), config, w.used ? 1u : 0u};
  }
  slot_->step(configs);
  active_ = true;
  in_ = out_ = 0;
  return true;
}

void Function::flush() {
  if (slot_) slot_->flush();
  active_ = full_ = false;
  fifo_.clear();
  ends_.clear();
  filled_ = 0;
  for (Writer& w : writers_) {
    w.used = w.ended = w.done = false;
    w.held.clear();
  }
}

std::uint64_t Function::state() const {
  bool empty = fifo_.empty() && filled_ == 0 && (!slot_ || slot_->idle());
  std::uint64_t state = active_;
  for (unsigned o = 0; o < writers_.size(); ++o) {
    const Writer& w = writers_[o];
    empty = empty && (!w.used || w.held.empty());
    state |= std::uint64_t{w.done} << (16 + o) | std::uint64_t{w.bytes > w.capacity} << (32 + o);
  }
  return state | std::uint64_t{empty} << 1;
}

std::optional<std::uint64_t> Function::lane_register(unsigned lane, std::uint64_t offset) const {
  if (lane >= writers_.size()) return std::nullopt;
  const Writer& w = writers_[lane];
  switch (static_cast<Lane>(offset)) {
    case Lane::base:
      return w.base;
    case Lane::capacity:
      return w.capacity;
    case Lane::flag:
      return w.flag;
    case Lane::bytes:
      return w.bytes;
  }
  return std::nullopt;
}

bool Function::set_lane_register(unsigned lane, std::uint64_t offset, std::uint64_t value) {
  if (lane >= writers_.size()) return false;
  Writer& w = writers_[lane];
  switch (static_cast<Lane>(offset)) {
    case Lane::base:
      w.base = value;
      return true;
    case Lane::capacity:
      w.capacity = value;
      return true;
    case Lane::flag:
      w.flag = value;
      return true;
    case Lane::bytes:
      return false;
  }
  return false;
}

void Function::input(const std::uint8_t* data, std::size_t bytes, bool last) {
  fifo_.insert(fifo_.end(), data, data + bytes);
  in_ += bytes;
  if (last) ends_.push_back(in_);
}

bool Function::step(Cycle k) {
  if (!slot_ || !enabled(k)) return false;
  bool moved = collect();
  moved |= feed();
  moved |= !slot_->quiet();
  slot_->clock();
  return moved;
}

/// One width from the FIFO to the operator's beat, and the beat to the operator.
bool Function::feed() {
  bool moved = false;
  if (full_ && (slot_->ready() & 1) != 0) {
    slot_->push(0, beat_);
    full_ = false;
    filled_ = 0;
    moved = true;
  }
  if (full_ || !active_) return moved;
  const std::uint64_t end = ends_.empty() ? ~std::uint64_t{0} : ends_.front();
  const std::size_t width = p_.function_width / 8;
  const std::size_t n = std::min<std::size_t>({width, fifo_.size(), kBeatBytes - filled_, end - out_});
  const bool last = out_ + n == end;
  if (n < width && !last && filled_ + n < kBeatBytes) return moved;
  if (filled_ == 0) beat_ = OperatorBeat{.keep = 0};
  auto* bytes = reinterpret_cast<std::uint8_t*>(beat_.word.data());
  std::copy_n(fifo_.begin(), n, bytes + filled_);
  fifo_.erase(fifo_.begin(), fifo_.begin() + static_cast<std::ptrdiff_t>(n));
  filled_ += static_cast<unsigned>(n);
  out_ += n;
  full_ = last || filled_ == kBeatBytes;
  if (full_) {
    beat_.keep = filled_ == kBeatBytes ? blocks::operators::kKeepAll : (1u << filled_) - 1;
    beat_.last = last;
    if (last) ends_.pop_front();
  }
  return true;
}

/// A beat from each output to its lane's writer.
bool Function::collect() {
  bool moved = false;
  for (unsigned o = 0; o < writers_.size(); ++o) {
    Writer& w = writers_[o];
    if (w.busy > 1) {
      --w.busy;
      moved = true;
      continue;
    }
    if ((slot_->valid() >> o & 1) == 0 || w.held.size() >= 2 * p_.max_payload || w.ended) continue;
    const OperatorBeat& beat = slot_->front(o);
    const auto n = static_cast<unsigned>(std::popcount(beat.keep));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(beat.word.data());
    const std::uint64_t room = w.capacity - std::min(w.capacity, w.bytes);
    w.held.insert(w.held.end(), bytes, bytes + std::min<std::uint64_t>(n, room));
    w.bytes += n;
    w.ended = beat.last;
    if (w.ended && w.held.empty() && w.flag == 0) finish(w);
    w.busy = std::max(1u, (n * 8 + p_.function_width - 1) / p_.function_width);
    slot_->pop(o);
    moved = true;
  }
  return moved;
}

/// The step ends with its last lane.
void Function::finish(Writer& writer) {
  writer.done = true;
  active_ = !std::ranges::all_of(writers_, [](const Writer& w) { return !w.used || w.done; });
}

bool Function::has_packet(const Writer& w) const {
  return w.used && !w.done && (w.held.size() >= p_.max_payload || w.ended);
}

int Function::next_offer() const {
  for (unsigned n = 0; n < writers_.size(); ++n) {
    const unsigned o = (turn_ + n) % static_cast<unsigned>(writers_.size());
    if (has_packet(writers_[o]) && (!writers_[o].held.empty() || writers_[o].flag != 0)) {
      return static_cast<int>(o);
    }
  }
  return -1;
}

Packet Function::take() {
  const auto o = static_cast<unsigned>(next_offer());
  Writer& w = writers_[o];
  turn_ = (o + 1) % static_cast<unsigned>(writers_.size());
  std::vector<std::uint8_t> data;
  TlpHeader h;
  if (!w.held.empty()) {
    const std::size_t n = std::min<std::size_t>(w.held.size(), p_.max_payload);
    data.assign(w.held.begin(), w.held.begin() + static_cast<std::ptrdiff_t>(n));
    w.held.erase(w.held.begin(), w.held.begin() + static_cast<std::ptrdiff_t>(n));
    h.address = w.base + w.sent;
    w.sent += n;
    if (w.ended && w.held.empty() && w.flag == 0) finish(w);
  } else {
    const std::uint64_t word = w.bytes | (w.bytes > w.capacity ? kFlagOverflow : 0);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&word);
    data.assign(bytes, bytes + kFlagBytes);
    h.address = w.flag;
    finish(w);
  }
  h.length = static_cast<std::uint32_t>(data.size());
  return {h, std::move(data)};
}

bool Function::quiet() const {
  if (!slot_) return true;
  if (!slot_->quiet() || (full_ && (slot_->ready() & 1) != 0)) return false;
  for (unsigned o = 0; o < writers_.size(); ++o) {
    const Writer& w = writers_[o];
    if (w.busy > 1 || ((slot_->valid() >> o & 1) != 0 && !w.ended && w.held.size() < 2 * p_.max_payload)) {
      return false;
    }
  }
  const bool more =
      !fifo_.empty() && !full_ && active_ && (!ends_.empty() || fifo_.size() >= p_.function_width / 8);
  return !more;
}

void Function::digest(fabric::Digest& digest) const {
  if (slot_) slot_->digest(digest);
  digest.add(in_);
  digest.add(out_);
  for (const Writer& w : writers_) digest.add(w.bytes), digest.add(w.sent);
}

}  // namespace polyloom::hub
