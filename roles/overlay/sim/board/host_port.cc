// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/host_port.h"

#include <algorithm>

namespace polyloom::overlay {
namespace {

fabric::Time last_word(const fabric::Segment& segment) {
  return segment.words.empty() ? segment.first : segment.word_time(segment.words.size() - 1);
}

}  // namespace

std::optional<HostPort::Frame> HostPort::receive(fabric::Time until) {
  if (rx_ == nullptr) return std::nullopt;
  while (const fabric::Segment* next = rx_->front()) {
    if (last_word(*next) >= until) return std::nullopt;
    fabric::Segment segment = rx_->take();
    if (segment.head && segment.tail) {
      ++frames_in_;
      return Frame{last_word(segment), std::move(segment.words)};
    }
    if (segment.head) assembling_.clear();
    assembling_.insert(assembling_.end(), segment.words.begin(), segment.words.end());
    if (segment.tail) {
      ++frames_in_;
      return Frame{last_word(segment), std::move(assembling_)};
    }
  }
  return std::nullopt;
}

fabric::Time HostPort::next_arrival() const {
  const fabric::Segment* next = rx_ == nullptr ? nullptr : rx_->front();
  return next == nullptr ? fabric::kNever : last_word(*next);
}

void HostPort::send(fabric::Time ready, std::vector<std::uint64_t> words) {
  if (tx_ != nullptr) out_.push_back({ready, std::move(words)});
}

void HostPort::transmit(fabric::Time until) {
  while (!out_.empty()) {
    Frame& frame = out_.front();
    fabric::Segment segment;
    segment.first = std::max(frame.time, tx_->free_at());
    if (segment.first >= until) return;
    const auto room = static_cast<std::size_t>((until - segment.first + tx_->period() - 1) / tx_->period());
    const std::size_t count = std::min(room, frame.words.size() - sent_);
    segment.head = sent_ == 0;
    segment.tail = sent_ + count == frame.words.size();
    if (segment.head && segment.tail) {
      segment.words = std::move(frame.words);
    } else {
      const auto from = frame.words.begin() + static_cast<std::ptrdiff_t>(sent_);
      segment.words.assign(from, from + static_cast<std::ptrdiff_t>(count));
    }
    sent_ += count;
    if (segment.tail) {
      sent_ = 0;
      ++frames_out_;
      out_.pop_front();
    }
    tx_->send(std::move(segment));
  }
}

fabric::Time HostPort::next_departure() const {
  return out_.empty() ? fabric::kNever : std::max(out_.front().time, tx_->free_at());
}

}  // namespace polyloom::overlay
