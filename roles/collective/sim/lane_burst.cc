// SPDX-License-Identifier: Apache-2.0
// Many beats of a lane at once: the wire's part of burst.h.
#include <algorithm>

#include "roles/collective/sim/lane.h"

namespace polyloom::collective {

void Lane::fill(const std::uint64_t* words, std::size_t beats) {
  counted.beats_out += beats;
  if (checks_) {
    if (!frame_open_) tx_crc_ = {};
    tx_crc_.add({words, beats * kBeatWords});
  }
  while (beats != 0) {
    Piece& piece = pieces_[piece_];
    const std::size_t n = std::min(beats, piece.beats);
    append(piece.first, words, n * kBeatWords, !frame_open_, false, 8);
    frame_open_ = true;
    signed_only_ = false;
    words += n * kBeatWords;
    beats -= n;
    piece.beats -= n;
    piece.first += static_cast<Time>(n) * beat_time();
    if (piece.beats == 0 && ++piece_ == pieces_.size()) {
      pieces_.clear();
      piece_ = 0;
    }
  }
}

Lane::Plain Lane::plain(Time until) const {
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
      const auto before = static_cast<std::size_t>((until - first + beat_time() - 1) / beat_time());
      beats += static_cast<unsigned>(std::min(whole, before));
    }
    if (s.tail || uneven) return {std::min(until, s.word_time(position + whole * kBeatWords)), beats};
    position = 0;
  }
  return {until, beats};
}

std::size_t Lane::plain_by(Time now) const { return next_complete_ > now ? 0 : plain(now + 1).beats; }

Time Lane::plain_time(std::size_t n) const {
  std::size_t position = position_;
  for (const fabric::Segment& s : inbox_) {
    const std::size_t beats = (s.words.size() - position) / kBeatWords;
    if (n < beats) return s.word_time(position + n * kBeatWords + kBeatWords - 1);
    n -= beats;
    position = 0;
  }
  return fabric::kNever;
}

std::size_t Lane::plain_edges(const Edges& edges, Cycle k, Cycle end, Cycle* at) const {
  std::size_t n = 0;
  if (!mid_frame_ || partial_words_ != 0) return 0;
  const Time last = edges.at(end - 1);
  std::size_t position = position_;
  for (const fabric::Segment& s : inbox_) {
    if (s.words.empty() || s.head) return n;
    const std::size_t words = s.words.size() - position;
    std::size_t whole = words / kBeatWords - (s.tail && words % kBeatWords == 0);
    for (Time t = s.word_time(position + kBeatWords - 1); whole != 0; --whole, t += beat_time()) {
      if (t > last || k >= end) return n;
      k = edges.from(t, k);
      at[n++] = k++;
    }
    if (s.tail || words % kBeatWords != 0) return n;
    position = 0;
  }
  return n;
}

void Lane::hold(const std::uint64_t* words, Cycle arrived) {
  RxBeat& slot = ring_[(head_ + count_) & mask_];
  std::copy_n(words, kBeatWords, slot.beat.words.begin());
  slot.beat.bytes = kBeatBytes;
  slot.beat.last = false;
  slot.from = arrived + timing_.rx_cycles;
  ++count_;
}

}  // namespace polyloom::collective
