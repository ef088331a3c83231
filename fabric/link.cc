// SPDX-License-Identifier: Apache-2.0
#include "fabric/link.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "fabric/trace.h"

namespace polyloom::fabric {

std::uint64_t segment_hash(const Segment& segment) {
  // Each word's term depends on its place and on nothing before it, so the terms overlap in the pipeline.
  std::uint64_t sum = 0, place = 0;
  for (const std::uint64_t word : segment.words) {
    place += 0x9e3779b97f4a7c15ull;
    std::uint64_t term = word + place;
    term = (term ^ (term >> 32)) * 0xd6e8feb86659fd93ull;
    sum += term ^ (term >> 29);
  }
  const std::uint64_t shape = (segment.words.size() << 8) | (std::uint64_t{segment.keep} << 2) |
                              (std::uint64_t{segment.head} << 1) | std::uint64_t{segment.tail};
  return mix64(mix64(static_cast<std::uint64_t>(segment.first)) ^ shape) ^ sum;
}

Segment ArrivalQueue::take() {
  Segment segment = std::move(items_[head_++]);
  if (head_ == items_.size()) {
    items_.clear();
    head_ = seen_ = 0;
  } else if (head_ >= 64 && 2 * head_ >= items_.size()) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    seen_ = seen_ > head_ ? seen_ - head_ : 0;
    head_ = 0;
  }
  return segment;
}

void ArrivalQueue::append(std::vector<Segment>& from) {
  if (items_.empty()) {
    items_.swap(from);
    return;
  }
  items_.insert(items_.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

Time ArrivalQueue::next_arrival(Time now) {
  seen_ = std::max(seen_, head_);
  for (; seen_ < items_.size(); ++seen_) {
    const Segment& segment = items_[seen_];
    if (segment.first >= now) return segment.first;
    const auto passed = static_cast<std::size_t>((now - segment.first + segment.period - 1) / segment.period);
    if (passed < segment.words.size()) return segment.word_time(passed);
  }
  return kNever;
}

Link::Link(int id, int from, int to, LinkSpec spec)
    : id_(id), from_(from), to_(to), spec_(std::move(spec)), tx_(*this, spec_, id) {}

Time Link::deliver(unsigned parity) {
  std::vector<Segment>& box = outbox_[parity];
  if (box.empty()) return kNever;
  const Time first = box.front().first;
  rx_.queue.append(box);
  return first;
}

Link::Sender::Sender(Link& owner, const LinkSpec& spec, int id)
    : link(owner),
      word_period(spec.period),
      latency(spec.latency),
      faulty(spec.bit_error_rate > 0 || spec.drop_rate > 0),
      faults(spec.bit_error_rate, spec.drop_rate, spec.seed, static_cast<std::uint64_t>(id)),
      digest(mix64(static_cast<std::uint64_t>(id))) {}

void Link::Sender::check(const Segment& segment) const {
  const auto refuse = [&](const std::string& why) {
    throw std::logic_error("link " + link.spec_.name + ": " + why + " (departure " +
                           std::to_string(segment.first) + " ps)");
  };
  if (context == nullptr || context->node != link.from_)
    refuse("a send outside the sending node's advance()");
  if (segment.first < context->start || segment.first >= context->until) {
    refuse("a send outside the window [" + std::to_string(context->start) + ", " +
           std::to_string(context->until) + ") ps");
  }
  if (segment.first < free) refuse("a send while the link is busy until " + std::to_string(free) + " ps");
  const bool nothing = segment.keep == 0 && segment.tail && segment.words.size() == 1;
  if (segment.keep > 8 || (segment.keep == 0 && !nothing)) {
    refuse("keep must be 1..8, or 0 for the one word of a segment that ends a frame");
  }
  const bool pulse = segment.head && segment.tail && segment.words.empty();
  if (!pulse && segment.head == in_frame) {
    refuse(in_frame ? "a new frame before the tail of the last"
                    : "a segment of no frame: its head is missing");
  }
}

bool Link::Sender::lost(const Segment& segment) {
  if (!segment.head) return dropping;
  const bool drop = faults.drops_frame();
  traffic.drops += drop;
  if (!segment.tail) dropping = drop;
  return drop;
}

void Link::Sender::account(const Segment& segment) {
  const std::size_t words = segment.words.size();
  ++traffic.segments;
  traffic.words += words;
  if (words != 0) traffic.bits += 64 * (words - 1) + 8 * std::uint64_t{segment.keep};
  traffic.frames += segment.tail;
  traffic.pulses += segment.head && segment.tail && words == 0;
}

void Link::Sender::send(Segment segment) {
  segment.period = word_period;
  check(segment);
  const bool pulse = segment.head && segment.tail && segment.words.empty();
  if (!pulse) in_frame = !segment.tail;  // a pulse may slip in between the segments of a frame
  free = segment.end();
  account(segment);
  if (trace != nullptr) trace->busy(segment.first, free);
  if (watcher) watcher(segment);
  if (faulty) {
    if (lost(segment)) return;
    traffic.bit_errors += faults.corrupt(segment.words, segment.keep);
  }
  segment.first += latency;
  digest = mix64(digest ^ segment_hash(segment));
  context->earliest_arrival = std::min(context->earliest_arrival, segment.first);
  std::vector<Segment>& box = link.outbox_[context->parity];
  if (box.empty()) context->filled[context->parity].push_back(&link);
  box.push_back(std::move(segment));
}

}  // namespace polyloom::fabric
