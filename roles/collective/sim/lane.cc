// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/lane.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace polyloom::collective {
namespace {

LaneFault fault(Fault code, std::uint64_t value) { return {static_cast<std::uint8_t>(code), value}; }

}  // namespace

Lane::Lane(blocks::WireEnds wire, const CollectiveParams& params)
    : wire_(wire), checks_(params.block_check), rx_beats_(params.rx_beats), timing_(params.timing) {
  if (wire_.tx != nullptr) period_ = wire_.tx->period();
  ring_.resize(std::bit_ceil(rx_beats_));
  mask_ = static_cast<unsigned>(ring_.size()) - 1;
  departures_.fill(-1);
}

// ---- out ----

void Lane::append(Time at, const std::uint64_t* words, std::size_t n, bool head, bool tail,
                  std::uint8_t keep) {
  if (head || runs_.empty() || runs_.back().tail || run_end(runs_.back()) != at) {
    runs_.push_back({at, head, false, 8, {}});
    if (!tail) runs_.back().words.reserve(256);
  }
  Run& run = runs_.back();
  run.words.insert(run.words.end(), words, words + n);
  run.tail = tail;
  if (tail) run.keep = keep;
}

void Lane::send_beat(Time earliest, const Beat& beat) {
  std::size_t n = kBeatWords;
  std::uint8_t keep = 8;
  if (beat.last) {
    // An operator's output that got nothing is one beat without bytes: one word that does not count.
    n = std::max(1u, (beat.bytes + 7u) / 8);
    keep = beat.bytes == 0 ? 0 : static_cast<std::uint8_t>(beat.bytes - 8 * (n - 1));
    // Without checks a data frame of one word could be taken for a control word.
    if (!checks_ && n <= 2 && !frame_open_) n = 2, keep = short_keep(beat.bytes);
  }
  append(claim_beat(earliest, n), beat.words.data(), n, !frame_open_, beat.last, keep);
  if (checks_) {
    if (!frame_open_) tx_crc_ = {};
    for (std::size_t i = 0; i < n; ++i) tx_crc_.add_word(beat.words[i]);
  }
  frame_open_ = !beat.last;
  signed_only_ = false;
  ++counted.beats_out;
  counted.blocks_out += beat.last;
}

void Lane::send_control(Time earliest, std::uint64_t word) {
  append(claim(earliest, 1), &word, 1, true, true, 8);
}

void Lane::send_pulse(Time earliest) {
  pulses_out_.push_back(earliest);
  ++counted.pulses_out;
}

std::uint64_t Lane::check_word(std::uint16_t block) const {
  return static_cast<std::uint64_t>(LaneControl::check) | std::uint64_t{block} << 16 |
         std::uint64_t{tx_crc_.value()} << 32;
}

void Lane::send_signature(Time earliest, std::uint16_t block, std::uint32_t signature) {
  send_control(earliest, static_cast<std::uint64_t>(LaneControl::signature) | std::uint64_t{block} << 16 |
                             std::uint64_t{signature} << 32);
  signed_only_ = true;
}

void Lane::abort(Time earliest, std::uint64_t word) {
  const std::uint64_t close = 0;
  if (frame_open_) append(claim(earliest, 1), &close, 1, false, true, 8);
  if (signed_only_) send_control(earliest, close);
  frame_open_ = signed_only_ = false;
  send_control(earliest, word);
}

void Lane::emit(Run& run, std::size_t n) {
  fabric::Segment s;
  s.first = run.first;
  s.head = run.head;
  const bool whole = n == run.words.size();
  s.tail = whole && run.tail;
  s.keep = s.tail ? run.keep : 8;
  sent_free_ = run.first + static_cast<Time>(n) * period_;
  if (whole) {
    s.words = std::move(run.words);
    run.words.clear();
  } else {  // what stays is short: a FIFO of beats
    std::vector<std::uint64_t> rest;
    rest.reserve(256);
    rest.assign(run.words.begin() + static_cast<std::ptrdiff_t>(n), run.words.end());
    run.words.resize(n);
    s.words = std::exchange(run.words, std::move(rest));
    run.first = sent_free_;
    run.head = false;
  }
  wire_.tx->send(std::move(s));
}

void Lane::emit_pulse(Time at) {
  fabric::Segment s;
  s.first = at;
  sent_free_ = at;
  wire_.tx->send(std::move(s));
  pulses_out_.pop_front();
}

void Lane::transmit(Time until) {
  for (;;) {
    const Time pulse = pulses_out_.empty() ? fabric::kNever : std::max(pulses_out_.front(), sent_free_);
    if (runs_.empty() || pulse <= runs_.front().first) {
      if (pulse >= until) return;
      emit_pulse(pulse);
      continue;
    }
    Run& run = runs_.front();
    if (run.first >= until) return;
    // Whole beats that leave before the window's end, and before the pulse if that comes first.
    const Time border = std::min(until, pulse);
    const auto beats = static_cast<std::size_t>((border - run.first + beat_time() - 1) / beat_time());
    const std::size_t n = std::min(run.words.size(), beats * kBeatWords);
    const bool whole = n == run.words.size();
    emit(run, n);
    if (whole) runs_.pop_front();
  }
}

Time Lane::next_departure() const {
  Time next = pulses_out_.empty() ? fabric::kNever : std::max(pulses_out_.front(), sent_free_);
  if (!runs_.empty()) next = std::min(next, runs_.front().first);
  return next;
}

// ---- in ----

void Lane::collect(Time until) {
  if (wire_.rx == nullptr) return;
  const bool idle = next_complete_ == fabric::kNever;
  bool any = false;
  while (const fabric::Segment* s = wire_.rx->front()) {
    if (s->first >= until) break;
    inbox_.push_back(wire_.rx->take());
    any = true;
  }
  if (any && idle) find_next();
}

/// Moves words of an unfinished beat out of segments that end within it, and notes when the next beat is
/// whole.
void Lane::find_next() {
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

LaneFault Lane::receive(Cycle k, Time now) {
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
void Lane::take_pulse(Cycle k) {
  last_due_ = std::max(k + timing_.pulse_to_count, last_due_ + 1);
  due_.push_back(last_due_);
  ++counted.pulses_in;
}

LaneFault Lane::whole_beat(Cycle k, bool single) {
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

LaneFault Lane::control(Cycle k, std::uint64_t word) {
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

LaneFault Lane::data(Cycle k) {
  for (unsigned i = partial_words_; i < kBeatWords; ++i) partial_.words[i] = 0;
  if (checks_) {
    if (!mid_frame_) rx_crc_ = {};
    for (unsigned i = 0; i < partial_words_; ++i) rx_crc_.add_word(partial_.words[i]);
  }
  if (!checks_ && !mid_frame_ && partial_.last) partial_.bytes = bytes_of_frame(partial_.bytes);
  mid_frame_ = !partial_.last;
  if (partial_.last) {
    expect_ = checks_ ? Expect::check : Expect::control;
    ++counted.blocks_in;
  }
  if (count_ == rx_beats_) return fault(Fault::overflow, partial_.words[0]);
  RxBeat& slot = ring_[(head_ + count_) & mask_];
  slot.beat = partial_;
  slot.from = k + timing_.rx_cycles;
  ends_held_ += partial_.last;
  ++count_;
  ++counted.beats_in;
  return {};
}

bool Lane::count_pulses(Cycle k) {
  std::size_t n = 0;
  while (n < due_.size() && due_[n] <= k) ++n;
  if (n == 0) return false;
  pulses_ += static_cast<std::uint32_t>(n);
  due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(n));
  return true;
}

void Lane::discard() {
  // Frames that are still arriving must not be taken for new ones later, so they are followed to their end.
  for (const fabric::Segment& s : inbox_) {
    if (!s.words.empty()) mid_frame_ = !s.tail;
  }
  inbox_.clear();
  position_ = partial_words_ = 0;
  next_complete_ = fabric::kNever;
  due_.clear();
}

void Lane::clear() {
  discard();
  mid_frame_ = false;
  expect_ = Expect::control;
  pulses_ = sends = takes = 0;
  head_ = count_ = ends_held_ = 0;
  signature_held_ = false;
  checked_at_ = kNeverCycle;
}

void Lane::digest(fabric::Digest& d) const {
  for (const std::uint64_t v :
       {counted.beats_out, counted.beats_in, counted.pulses_out, counted.pulses_in, std::uint64_t{pulses_},
        std::uint64_t{sends}, std::uint64_t{takes}, std::uint64_t{count_}, std::uint64_t{peer_}}) {
    d.add(v);
  }
}

}  // namespace polyloom::collective
