// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/function.h"

#include <bit>

namespace polyloom::hub {

using blocks::operators::Config;
using blocks::operators::Kind;

namespace {

constexpr unsigned kWide = 32;  ///< bytes of the operator socket's beats
constexpr std::size_t kOutBeats = 4;
constexpr unsigned kHalfWidth = 128;
constexpr std::uint64_t kByteBits = (std::uint64_t{1} << 39) - 1;

}  // namespace

/// Half a beat into the open packet. True if it was the beat's last.
bool FunctionLane::half(Beat& data, Packets::Commit& commit, bool& puts, bool& commits) {
  const unsigned keep = upper_ ? beat_.keep >> 16 : beat_.keep & 0xffff;
  const auto count = static_cast<unsigned>(std::popcount(keep));
  const bool last_half = upper_ || beat_.keep >> 16 == 0, ends = last_half && beat_.last;
  const std::uint64_t room = capacity / p_.max_payload * p_.max_payload;
  const bool fits = count != 0 && bytes_ + count <= room;
  const std::uint32_t size = size_ + (fits ? count : 0);
  data.bytes = static_cast<std::uint8_t>(count);
  std::memcpy(data.data.data(), beat_.word.data() + (upper_ ? 4 : 0), count);
  puts = fits;
  commits = size != 0 && (ends || size == p_.max_payload);
  commit = {false, base / p_.max_payload * p_.max_payload + place_, size};
  upper_ = !last_half;
  bytes_ += count;
  size_ = commits ? 0 : size;
  over_ = over_ || (count != 0 && !fits);
  if (commits) place_ += p_.max_payload;
  return last_half;
}

void FunctionLane::move(const blocks::operators::Beat* in, bool taken, bool flush, bool step) {
  const bool has_room = room();
  Beat data;
  Packets::Commit commit;
  bool puts = false, commits = false;
  switch (state_) {
    case State::wait:
      if (in != nullptr) {
        beat_ = *in;
        state_ = State::halves;
      }
      break;
    case State::halves:
      if (!has_room || !half(data, commit, puts, commits)) break;
      state_ = beat_.last ? State::flag : in != nullptr ? State::halves : State::wait;
      if (in != nullptr) beat_ = *in;
      break;
    case State::flag:
      if (!has_room) break;
      if (flag != 0) {
        data.data = {(bytes_ & kByteBits) | (over_ ? kFlagOverflow : 0), 0};
        data.bytes = kFlagBytes;
        puts = commits = true;
        commit = {false, flag, kFlagBytes};
      }
      done_ = true;
      state_ = State::wait;
      break;
    case State::flush:
      if (!has_room) break;
      commits = true;
      commit = {true, 0, size_};
      state_ = State::wait;
      step = true;
      break;
  }
  packets_.move(taken, puts ? &data : nullptr, commits ? &commit : nullptr);
  if (flush) state_ = State::flush;
  if (!step) return;
  upper_ = done_ = over_ = false;
  bytes_ = place_ = 0;
  size_ = 0;
}

Function::Function(const HubParams& params)
    : p_(params),
      most_(static_cast<int>(params.max_payload / kTlpBeat)),
      pack_(kWide),
      in_(2 * static_cast<std::size_t>(most_)) {
  if (p_.kinds.empty()) return;
  std::uint64_t kinds = 0;
  for (const Kind kind : p_.kinds) kinds |= std::uint64_t{1} << static_cast<unsigned>(kind);
  blocks::operators::SlotParams shape = p_.operators;
  shape.inputs = 1;
  shape.outputs = p_.lanes;
  slot_.emplace(kinds, shape);
  for (unsigned l = 0; l < p_.lanes; ++l) {
    lanes.emplace_back(p_);
    out_.emplace_back(kOutBeats);
  }
  gaps_.resize(p_.lanes);
}

int Function::space() const {
  return 4 * most_ - 2 * static_cast<int>(in_.size()) - static_cast<int>((pack_.held() + 15) / kTlpBeat);
}

unsigned Function::free() const { return takes() && space() > 2 ? static_cast<unsigned>(space() - 2) : 0; }

bool Function::idle() const {
  if (!slot_) return true;
  if (step_ || flush_ || active_ || run_ || !slot_->idle() || !slot_->quiet() || in_.valid() ||
      pack_.held() != 0)
    return false;
  for (const FunctionLane& lane : lanes) {
    if (!lane.idle()) return false;
  }
  return true;
}

bool Function::quiet() const {
  if (idle()) return true;
  if (step_ || flush_ || !active_ || !run_ || in_gap_ || !slot_->quiet()) return false;
  if (error_ != error()) return false;
  if (in_.valid() || pack_.valid(kWide)) return false;
  bool all_done = true;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (!lanes[l].idle() || out_[l].valid() || gaps_[l] || (slot_->valid() >> l & 1) != 0) return false;
    all_done = all_done && ((used_ >> l & 1) == 0 || lanes[l].done());
  }
  return !all_done;
}

std::uint64_t Function::state() const {
  if (!slot_) return 0;
  std::uint64_t state = std::uint64_t{active()} | std::uint64_t{idle()} << 1;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    state |= std::uint64_t{lanes[l].done()} << (16 + l) | std::uint64_t{lanes[l].overflow()} << (32 + l);
  }
  return state;
}

void Function::begin_step() {
  std::vector<Config> configs(lanes.size());
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    configs[l] = {(used_ >> l & 1) != 0, static_cast<Kind>(kind_), config, 1};
  }
  slot_->step(configs);
}

void Function::step(const Inputs& in) {
  if (!slot_) return;
  const bool enabled = enable();
  bool lanes_idle = true, all_done = true;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    lanes_idle = lanes_idle && lanes[l].idle();
    all_done = all_done && ((used_ >> l & 1) == 0 || lanes[l].done());
  }
  const bool steps = step_ && !flush_ && lanes_idle && slot_->idle() && enabled;
  const bool goes = in_.valid() && active_ && !in_gap_ && (slot_->ready() & 1) != 0 && enabled;
  const bool fifo_ready = in_.ready();
  const Beat* taken = in.network != nullptr                                 ? in.network
                      : in.dma != nullptr && takes() && space() > most_ + 8 ? in.dma
                                                                            : nullptr;
  if (taken != nullptr && !pack_.ready()) taken = nullptr;
  const bool failed = active_ && slot_->errors() != 0;
  const bool run = in.begin || in.flush || step_ || flush_ || active_;

  if (goes) {
    slot_->push(0, in_.front());
    in_.pop();
  }
  for (unsigned l = 0; l < lanes.size(); ++l) take_out(l, enabled, steps, in);
  if (steps) begin_step();
  if (enabled && flush_) slot_->flush();
  if (enabled) slot_->clock();

  // Bytes to wide beats.
  unsigned given = 0;
  if (fifo_ready && pack_.valid(kWide)) {
    given = pack_.bytes(kWide);
    OpBeat beat{.keep = given == kWide ? blocks::operators::kKeepAll : (1u << given) - 1,
                .last = pack_.last(kWide)};
    std::memcpy(beat.word.data(), pack_.data(), given);
    in_.push(beat);
  }
  pack_.move(given, taken);

  // The clock's pattern, commands.
  phase_ = !run_ ? 0 : (phase_ + p_.function_cycles) % kDen;
  run_ = run;
  error_ = failed;
  if (enabled) in_gap_ = p_.function_width == kHalfWidth && goes;
  const bool ends = all_done && lanes_idle;
  if (in.flush) {
    active_ = false;
  } else if (steps) {
    active_ = true;
  } else if (ends) {
    active_ = false;
  }
  if (in.begin) {
    step_ = true;
    used_ = in.command >> 16 & ((std::uint64_t{1} << lanes.size()) - 1);
    kind_ = static_cast<std::uint8_t>(in.command >> 8);
  } else if (steps || in.flush) {
    step_ = false;
  }
  if (in.flush) {
    flush_ = true;
    pack_.flush();
    in_.clear();
  } else if (enabled) {
    flush_ = false;
  }
}

/// From the operator to a lane's FIFO, from there to the lane.
void Function::take_out(unsigned l, bool enabled, bool step, const Inputs& in) {
  Fifo<OpBeat>& fifo = out_[l];
  const bool push = (slot_->valid() >> l & 1) != 0 && fifo.ready() && !gaps_[l] && enabled;
  const bool give = fifo.valid() && lanes[l].ready();
  const OpBeat beat = give ? fifo.front() : OpBeat{};
  if (give) fifo.pop();
  if (push) {
    if (!flush_) fifo.push(slot_->front(l));
    slot_->pop(l);
  }
  if (enabled) gaps_[l] = p_.function_width == kHalfWidth && push;
  if (in.flush) fifo.clear();
  lanes[l].move(give ? &beat : nullptr, in.taken == static_cast<int>(l), in.flush, step);
}

void Function::digest(fabric::Digest& digest) const {
  if (slot_) slot_->digest(digest);
  for (const FunctionLane& lane : lanes) digest.add(lane.bytes());
}

}  // namespace polyloom::hub
