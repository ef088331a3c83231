// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/lane_in.h"

#include <bit>
#include <utility>

namespace polyloom::collective {
namespace {

LaneFault fault(Fault code, std::uint64_t value) { return {static_cast<std::uint8_t>(code), value}; }

}  // namespace

LaneIn::LaneIn(fabric::Rx* rx, Time beat_time, const CollectiveParams& params)
    : rx_(rx),
      beat_time_(beat_time),
      checks_(params.block_check),
      rx_beats_(params.rx_beats),
      timing_(params.timing) {
  ring_.resize(std::bit_ceil(rx_beats_));
  mask_ = static_cast<unsigned>(ring_.size()) - 1;
}

void LaneIn::collect(Time until) {
  if (rx_ == nullptr) return;
  const bool idle = next_complete_ == fabric::kNever;
  bool any = false;
  while (const fabric::Segment* s = rx_->front()) {
    if (s->first >= until) break;
    inbox_.push_back(rx_->take());
    any = true;
  }
  if (any && idle) find_next();
}

/// Moves words of an unfinished beat out of segments that end within it, and notes when the next beat is
/// whole.
void LaneIn::find_next() {
  for (; !inbox_.empty(); inbox_.pop_front(), position_ = 0) {
    const fabric::Segment& s = inbox_.front();
    if (s.words.empty()) {
      next_complete_ = s.first;
      return;
    }
    const std::size_t left = s.words.size() - position_;
    const std::size_t need = std::min<std::size_t>(kBeatWords - partial_words_, left);
    if (partial_words_ + need == kBeatWords || s.tail) {
      next_complete_ = s.word_time(position_ + need - 1);
      return;
    }
    if (position_ == 0 && partial_words_ == 0) partial_head_ = s.head;
    for (; position_ < s.words.size(); ++position_) partial_.words[partial_words_++] = s.words[position_];
  }
  next_complete_ = fabric::kNever;
}

LaneFault LaneIn::receive(Cycle k, Time now) {
  bool beat = false;
  while (next_complete_ <= now && !(beat && !inbox_.front().words.empty())) {
    LaneFault found;
    fabric::Segment& s = inbox_.front();
    if (s.words.empty()) {
      take_pulse(k);
      inbox_.pop_front();
      position_ = 0;
    } else {
      beat = true;
      if (position_ == 0 && partial_words_ == 0) partial_head_ = s.head;
      const std::size_t need = std::min<std::size_t>(kBeatWords - partial_words_, s.words.size() - position_);
      for (std::size_t i = 0; i < need; ++i) partial_.words[partial_words_++] = s.words[position_++];
      const bool end = position_ == s.words.size();
      partial_.last = end && s.tail;
      partial_.bytes = static_cast<std::uint8_t>(8 * partial_words_ - (partial_.last ? 8u - s.keep : 0u));
      if (end) {
        inbox_.pop_front();
        position_ = 0;
      }
      found = whole_beat(k, partial_head_ && partial_.last && partial_words_ == 1);
      partial_words_ = 0;
      partial_head_ = false;
    }
    find_next();
    if (found.code != 0) return found;
  }
  // A beat waits for the next edge, the pulses behind it do not.
  for (std::size_t i = 1; next_complete_ <= now && i < inbox_.size() && inbox_[i].first <= now;) {
    if (!inbox_[i].words.empty()) {
      ++i;
      continue;
    }
    take_pulse(k);
    inbox_.erase(inbox_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {};
}

/// One a cycle, whatever comes.
void LaneIn::take_pulse(Cycle k) {
  last_due_ = std::max(k + timing_.pulse_to_count, last_due_ + 1);
  due_.push_back(last_due_);
  ++counted.pulses;
}

LaneFault LaneIn::whole_beat(Cycle k, bool single) {
  if (mid_frame_) return data(k);
  if (single && !checks_) {
    // No data frame is that short, so a word without the mark is a damaged one.
    if (partial_.words[0] >> 48 == kControlMark) return control(k, partial_.words[0]);
    return fault(Fault::unexpected, partial_.words[0]);
  }
  if (!checks_ || expect_ == Expect::data) return data(k);
  if (single) return control(k, partial_.words[0]);
  mid_frame_ = !partial_.last;
  return fault(Fault::unexpected, partial_.words[0]);
}

LaneFault LaneIn::control(Cycle k, std::uint64_t word) {
  switch (static_cast<LaneControl>(word & 0xff)) {
    case LaneControl::hello:
      peer_ = 0x80000000u | static_cast<std::uint32_t>(word >> 16 & 0xffff) << 8 |
              static_cast<std::uint32_t>(word >> 8 & 0xff);
      return {};
    case LaneControl::abort:
      return fault(word >> 48 == kControlMark ? Fault::aborted : Fault::unexpected, word);
    case LaneControl::signature:
      if (!checks_ || expect_ != Expect::control || signature_held_) return fault(Fault::unexpected, word);
      signature_ = word;
      signature_held_ = true;
      signature_at_ = k;
      expect_ = Expect::data;
      return {};
    case LaneControl::check:
      if (expect_ != Expect::check) return fault(Fault::unexpected, word);
      expect_ = Expect::control;
      if (word >> 32 != rx_crc_.value()) return fault(Fault::check, (word >> 32 << 32) | rx_crc_.value());
      checked_at_ = k;
      return {};
  }
  return fault(Fault::unexpected, word);
}

LaneFault LaneIn::data(Cycle k) {
  for (unsigned i = partial_words_; i < kBeatWords; ++i) partial_.words[i] = 0;
  if (checks_) {
    if (!mid_frame_) rx_crc_ = {};
    for (unsigned i = 0; i < partial_words_; ++i) rx_crc_.add_word(partial_.words[i]);
  }
  if (!checks_ && !mid_frame_ && partial_.last) partial_.bytes = bytes_of_frame(partial_.bytes);
  mid_frame_ = !partial_.last;
  if (partial_.last) {
    expect_ = checks_ ? Expect::check : Expect::control;
    ++counted.blocks;
  }
  if (count_ == rx_beats_) return fault(Fault::overflow, partial_.words[0]);
  RxBeat& slot = ring_[(head_ + count_) & mask_];
  slot.beat = partial_;
  slot.from = k + timing_.rx_cycles;
  ends_held_ += partial_.last;
  ++count_;
  ++counted.beats;
  return {};
}

bool LaneIn::count_pulses(Cycle k) {
  std::size_t n = 0;
  while (n < due_.size() && due_[n] <= k) ++n;
  if (n == 0) return false;
  pulses_ += static_cast<std::uint32_t>(n);
  due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(n));
  return true;
}

void LaneIn::discard() {
  // Frames that are still arriving must not be taken for new ones later, so they are followed to their end.
  for (const fabric::Segment& s : inbox_) {
    if (!s.words.empty()) mid_frame_ = !s.tail;
  }
  inbox_.clear();
  position_ = partial_words_ = 0;
  next_complete_ = fabric::kNever;
  due_.clear();
}

void LaneIn::clear() {
  discard();
  mid_frame_ = false;
  expect_ = Expect::control;
  pulses_ = begun = 0;
  head_ = count_ = ends_held_ = 0;
  signature_held_ = false;
  checked_at_ = kNeverCycle;
}

// ---- many beats at once ----

LaneIn::Plain LaneIn::plain(Time until) const {
  if (next_complete_ >= until) return {until, 0};
  if (!mid_frame_ || partial_words_ != 0) return {next_complete_, 0};
  unsigned beats = 0;
  std::size_t position = position_;
  for (const fabric::Segment& s : inbox_) {
    if (s.words.empty() || s.head) return {std::min(until, s.first), beats};
    const std::size_t words = s.words.size() - position;
    const bool uneven = words % kBeatWords != 0;
    const std::size_t whole = words / kBeatWords - (s.tail && !uneven);
    const Time first = s.word_time(position + kBeatWords - 1);
    if (whole != 0 && first < until) {
      const auto before = static_cast<std::size_t>((until - first + beat_time_ - 1) / beat_time_);
      beats += static_cast<unsigned>(std::min(whole, before));
    }
    if (s.tail || uneven) return {std::min(until, s.word_time(position + whole * kBeatWords)), beats};
    position = 0;
  }
  return {until, beats};
}

std::size_t LaneIn::plain_by(Time now) const { return next_complete_ > now ? 0 : plain(now + 1).beats; }

Time LaneIn::plain_time(std::size_t n) const {
  std::size_t position = position_;
  for (const fabric::Segment& s : inbox_) {
    const std::size_t beats = (s.words.size() - position) / kBeatWords;
    if (n < beats) return s.word_time(position + n * kBeatWords + kBeatWords - 1);
    n -= beats;
    position = 0;
  }
  return fabric::kNever;
}

std::size_t LaneIn::plain_edges(const Edges& edges, Cycle k, Cycle end, Cycle* at) const {
  std::size_t n = 0;
  if (!mid_frame_ || partial_words_ != 0) return 0;
  const Time last = edges.at(end - 1);
  std::size_t position = position_;
  for (const fabric::Segment& s : inbox_) {
    if (s.words.empty() || s.head) return n;
    const std::size_t words = s.words.size() - position;
    std::size_t whole = words / kBeatWords - (s.tail && words % kBeatWords == 0);
    for (Time t = s.word_time(position + kBeatWords - 1); whole != 0; --whole, t += beat_time_) {
      if (t > last || k >= end) return n;
      k = edges.from(t, k);
      at[n++] = k++;
    }
    if (s.tail || words % kBeatWords != 0) return n;
    position = 0;
  }
  return n;
}

void LaneIn::hold(const std::uint64_t* words, Cycle arrived) {
  RxBeat& slot = ring_[(head_ + count_) & mask_];
  std::copy_n(words, kBeatWords, slot.beat.words.begin());
  slot.beat.bytes = kBeatBytes;
  slot.beat.last = false;
  slot.from = arrived + timing_.rx_cycles;
  ++count_;
}

}  // namespace polyloom::collective
