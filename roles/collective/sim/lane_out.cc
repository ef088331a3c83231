// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/lane_out.h"

#include <utility>

namespace polyloom::collective {

LaneOut::LaneOut(fabric::Tx* tx, bool checks) : tx_(tx), checks_(checks) {
  if (tx_ != nullptr) period_ = tx_->period();
  departures_.fill(-1);
}

void LaneOut::append(Time at, const std::uint64_t* words, std::size_t n, bool head, bool tail,
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

void LaneOut::send_beat(Time earliest, const Beat& beat) {
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
  ++counted.beats;
  counted.blocks += beat.last;
}

void LaneOut::send_control(Time earliest, std::uint64_t word) {
  append(claim(earliest, 1), &word, 1, true, true, 8);
}

void LaneOut::send_pulse(Time earliest) {
  pulses_out_.push_back(earliest);
  ++counted.pulses;
}

std::uint64_t LaneOut::check_word(std::uint16_t block) const {
  return static_cast<std::uint64_t>(LaneControl::check) | std::uint64_t{block} << 16 |
         std::uint64_t{tx_crc_.value()} << 32;
}

void LaneOut::send_signature(Time earliest, std::uint16_t block, std::uint32_t signature) {
  send_control(earliest, static_cast<std::uint64_t>(LaneControl::signature) | std::uint64_t{block} << 16 |
                             std::uint64_t{signature} << 32);
  signed_only_ = true;
}

void LaneOut::abort(Time earliest, std::uint64_t word) {
  const std::uint64_t close = 0;
  if (frame_open_) append(claim(earliest, 1), &close, 1, false, true, 8);
  if (signed_only_) send_control(earliest, close);
  frame_open_ = signed_only_ = false;
  send_control(earliest, word);
}

void LaneOut::emit(Run& run, std::size_t n) {
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
  tx_->send(std::move(s));
}

void LaneOut::emit_pulse(Time at) {
  fabric::Segment s;
  s.first = at;
  sent_free_ = at;
  tx_->send(std::move(s));
  pulses_out_.pop_front();
}

void LaneOut::transmit(Time until) {
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

Time LaneOut::next_departure() const {
  Time next = pulses_out_.empty() ? fabric::kNever : std::max(pulses_out_.front(), sent_free_);
  if (!runs_.empty()) next = std::min(next, runs_.front().first);
  return next;
}

// ---- many beats at once ----

void LaneOut::fill(const std::uint64_t* words, std::size_t beats) {
  counted.beats += beats;
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

}  // namespace polyloom::collective
