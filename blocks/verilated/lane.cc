// SPDX-License-Identifier: Apache-2.0
#include "blocks/verilated/lane.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace polyloom::blocks {

using fabric::kNever;
using fabric::Segment;
using fabric::Time;

LaneRx::LaneRx(fabric::Rx* rx, unsigned beat_words) : rx_(rx), beat_words_(beat_words) {
  if (beat_words < 1 || beat_words > kMaxBeatWords) throw std::logic_error("a beat has 1 to 16 words");
}

void LaneRx::finish(bool last, unsigned keep) {
  partial_.last = last;
  partial_.keep = keep;
  beats_.push_back(partial_);
  partial_ = {};
}

void LaneRx::collect(Time t) {
  if (rx_ == nullptr) return;
  for (const Segment* s; (s = rx_->front()) != nullptr && s->first <= t; rx_->pop(), position_ = 0) {
    const std::size_t size = s->words.size();
    if (size == 0 && s->head && s->tail) {
      ++pulses_, ++pulses_seen_;
      continue;
    }
    for (; position_ < size; ++position_) {
      if (s->word_time(position_) > t) return;
      partial_.data[partial_.words++] = s->words[position_];
      ++words_;
      const bool last = s->tail && position_ + 1 == size;
      if (last || partial_.words == beat_words_) finish(last, last ? s->keep : 8);
    }
    if (s->tail && size == 0) finish(true, 8);
  }
}

Time LaneRx::next_arrival() const {
  const Segment* s = rx_ != nullptr ? rx_->front() : nullptr;
  return s == nullptr ? kNever : s->word_time(position_);
}

LaneTx::LaneTx(fabric::Tx* tx, unsigned fifo_beats)
    : tx_(tx), period_(tx != nullptr ? tx->period() : 0), fifo_beats_(fifo_beats) {}

bool LaneTx::ready(Time t, Time next) const {
  if (fifo_beats_ == 0) return free_ < next;
  return starts_.size() < fifo_beats_ || starts_.front() <= t;
}

void LaneTx::push(Time t, const LaneBeat& beat) {
  if (beat.words == 0 && !beat.last) throw std::logic_error("a beat of no bytes was sent inside of a frame");
  const unsigned words = std::max(1u, beat.words);  // a frame of no bytes is a word that does not count
  words_ += words;
  if (tx_ == nullptr) return;
  Segment segment;
  segment.first = std::max(t, free_);
  segment.head = !std::exchange(in_frame_, !beat.last);
  segment.tail = beat.last;
  segment.keep = static_cast<std::uint8_t>(beat.words == 0 ? 0 : beat.keep);
  segment.words.assign(beat.data.begin(), beat.data.begin() + words);
  free_ = segment.first + static_cast<Time>(words) * period_;
  if (fifo_beats_ != 0) {
    if (starts_.size() == fifo_beats_) starts_.pop_front();
    starts_.push_back(segment.first);
  }
  while (!spans_.empty() && spans_.front().end <= t) spans_.pop_front();
  spans_.push_back({segment.first, free_});
  out_.push_back(std::move(segment));
}

void LaneTx::pulse(Time t) {
  ++pulses_;
  if (tx_ == nullptr) return;
  Time leaves = t;
  for (const Span& span : spans_) {
    if (span.begin < t && t < span.end) leaves = span.end;
  }
  Segment segment;
  segment.first = leaves;
  const auto later = std::find_if(out_.begin(), out_.end(), [&](const Segment& other) {
    return !other.words.empty() && other.first >= leaves;
  });
  out_.insert(later, std::move(segment));
}

void LaneTx::flush(Time until) {
  while (!out_.empty() && out_.front().first < until) {
    if (tx_ != nullptr) tx_->send(std::move(out_.front()));
    out_.pop_front();
  }
}

}  // namespace polyloom::blocks
