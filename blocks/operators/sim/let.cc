// SPDX-License-Identifier: Apache-2.0
#include "blocks/operators/sim/let.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace polyloom::blocks::operators {

namespace {
constexpr std::uint32_t kIdMask = 2 * kMaxNodes - 1;  // counters of records have a bit more than ids

unsigned pipe_of(unsigned geometry) { return geometry == 0 ? Let::kGeometry : geometry; }
}  // namespace

Let::Let(unsigned inputs, unsigned outputs, unsigned geometry, unsigned open_depth)
    : Operator(inputs, outputs, kOutDepth, 2 + outputs),
      open_depth_(open_depth),
      lanes_(outputs),
      pipe_(pipe_of(geometry)) {
  if (pipe_.size() < kGeometry || open_depth < 4) {
    throw std::invalid_argument("LET operator: let_geometry is " + std::to_string(geometry) +
                                ", let_open_depth " + std::to_string(open_depth) + "; 0 or from " +
                                std::to_string(kGeometry) + " on, and at least 4");
  }
}

bool Let::advance() {
  if ((in_valid() & ~std::uint64_t{on_ != 0}) != 0) error(kErrorStray);
  const bool moving = moving_;
  moving_ = true;
  for (unsigned o = 0; o < lanes_.size(); ++o) moving_ &= out_count(o) <= kOutDepth - 2;
  if (!moving) return true;
  Token in{};
  unpack(in);
  for (unsigned o = 0; o < lanes_.size(); ++o) pack(lanes_[o], o);
  Token& place = pipe_[at_];
  resolve(place);
  flight_ += in.valid || in.last;
  flight_ -= place.valid || place.last;
  place = in;
  if (++at_ == pipe_.size()) at_ = 0;
  return !moving_ || flight_ != 0 || fill_ >= kPairs || ending_ ||
         std::ranges::any_of(lanes_,
                             [](const Lane& l) { return l.valid || l.last || l.final || l.fill > 4; });
}

/// A target, or a record to the pipe and a beat to the buffer.
void Let::unpack(Token& token) {
  const bool input = on_ != 0 && (in_valid() & 1) != 0;
  if (targets_ != 0) {
    if (input && flight_ == 0) take_target();
    return;
  }
  const bool record = fill_ >= kPairs, was_ending = ending_;
  const bool allowed = !setup_.parent_first || !record || flight_ == 0 || id_in_ < known_;
  if ((record || ending_) && allowed) issue(token, record);
  if (input && !was_ending && fill_ <= pairs_.size() - kWords / 2) take_records();
}

void Let::take_target() {
  const Beat& beat = in(0);
  const unsigned o = static_cast<unsigned>(std::countr_zero(targets_));
  std::memcpy(&lanes_[o].target, beat.word.data(), sizeof(LetTarget));
  if (beat.keep != kKeepAll) error(kErrorTree);
  targets_ &= targets_ - 1;
  open_ = true;
  if (beat.last) {
    if (targets_ != 0) error(kErrorTree);
    targets_ = 0;
    ending_ = true;
  }
  take(1);
}

void Let::take_records() {
  const Beat& beat = in(0);
  unsigned whole = 0, begun = 0;  // pairs
  for (unsigned p = 0; p < kWords / 2; ++p) {
    whole += beat.keep >> (8 * p + 7) & 1;
    begun += beat.keep >> (8 * p) & 1;
  }
  if (setup_.padded) {
    if (begun != 0 && whole < kPairs) error(kErrorTree);
    whole = whole >= kPairs ? kPairs : 0;
  } else if (begun != whole) {
    error(kErrorTree);
  }
  for (unsigned p = 0; p < whole; ++p) pairs_[fill_ + p] = {beat.word[2 * p], beat.word[2 * p + 1]};
  fill_ += whole;
  ending_ = beat.last;
  take(1);
}

void Let::issue(Token& token, bool record) {
  token.valid = record;
  if (record) {
    std::memcpy(&token.node, pairs_.data(), sizeof(NodeRecord));
    for (std::uint64_t left = on_; left != 0; left &= left - 1) {
      if (let_far(token.node, lanes_[static_cast<unsigned>(std::countr_zero(left))].target)) {
        token.far |= left & -left;
      }
    }
    std::copy(pairs_.begin() + kPairs, pairs_.end(), pairs_.begin());
    fill_ -= kPairs;
    id_in_ = (id_in_ + 1) & kIdMask;
  }
  if (!ending_ || fill_ >= kPairs) return;
  token.last = true;
  if (fill_ != 0) error(kErrorTree);
  fill_ = id_in_ = 0;
  ending_ = open_ = false;
  targets_ = on_;
}

/// The exit of the pipe: which records each lane keeps, and with which children.
void Let::resolve(const Token& token) {
  const std::uint32_t kids = token.valid ? children(token.node, setup_.bias_zero ? 0 : 1) : 0;
  if (token.valid && id_ >= known_) error(kErrorTree);
  if (kids != 0) {
    if (first_child(token.node.more) != known_) error(kErrorTree);
    known_ = (known_ + kids) & kIdMask;
    if (known_ > kMaxNodes) error(kErrorTree);
  }
  for (unsigned o = 0; o < lanes_.size(); ++o) {
    if (on_ >> o & 1) resolve_lane(lanes_[o], o, token, kids);
  }
  id_ = (id_ + token.valid) & kIdMask;
  status_words()[1] += token.valid;
  if (!token.last) return;
  if (id_ != 0 && id_ != known_) error(kErrorTree);
  id_ = 0;
  known_ = 1;
}

void Let::resolve_lane(Lane& lane, unsigned o, const Token& token, std::uint32_t kids) {
  const bool room = lane.opened.size() < open_depth_;
  lane.last = token.last;
  lane.valid = token.valid && id_ == 0;
  if (token.valid && lane.left != 0) {
    lane.valid = true;
    --lane.left;
  } else if (token.valid && !lane.opened.empty() && lane.opened.front().first == id_) {
    lane.valid = true;
    lane.left = lane.opened.front().count - 1;
    lane.opened.pop_front();
  }
  if (lane.valid) {
    lane.node = token.node;
    const bool open = kids != 0 && (token.far >> o & 1) == 0;
    if (open) {
      if (room) lane.opened.push_back({first_child(token.node.more), kids});
      if (!room) error(kErrorDepth);
      lane.node.more = make_more(count_field(token.node.more), lane.next);
      lane.next = (lane.next + kids) & (kMaxNodes - 1);
    } else {
      lane.node.q = -1.0f;
      lane.node.more = make_more(0, lane.id);
    }
    lane.id = (lane.id + 1) & (kMaxNodes - 1);
  }
  if (token.last) {
    lane.opened.clear();
    lane.left = lane.id = 0;
    lane.next = 1;
  }
}

/// Four pairs leave when more are there or the end is known; then a resolved record comes behind the rest.
void Let::pack(Lane& lane, unsigned o) {
  constexpr unsigned kBeat = kWords / 2;
  if (lane.fill > kBeat || lane.final) {
    Beat& beat = emit(o);
    const unsigned count = std::min(lane.fill, kBeat);
    beat.word.fill(0);
    for (unsigned p = 0; p < count; ++p) std::copy_n(lane.pairs[p].begin(), 2, beat.word.begin() + 2 * p);
    beat.keep = static_cast<std::uint32_t>((std::uint64_t{1} << 8 * count) - 1);
    beat.last = lane.fill <= kBeat;
    if (beat.last) lane.final = false;
    std::copy(lane.pairs.begin() + kBeat, lane.pairs.end(), lane.pairs.begin());
    lane.fill -= count;
  }
  if (lane.valid) {
    lane.pairs[lane.fill + kPairs] = {0, 0};
    std::memcpy(&lane.pairs[lane.fill], &lane.node, sizeof(NodeRecord));
    lane.fill += setup_.padded ? kBeat : kPairs;
    ++status_words()[2 + o];
  }
  lane.final |= lane.last;
}

void Let::configure(std::span<const Config> configs) {
  drop();
  std::uint64_t used = 0, word = 0;
  bool good = true;
  for (unsigned o = 0; o < configs.size(); ++o) {
    if (!configs[o].valid) continue;
    if (used == 0) word = configs[o].word;
    good &= configs[o].word == word && configs[o].mask == 1;
    used |= std::uint64_t{1} << o;
  }
  if (!good || word > 7) {
    error(kErrorConfig);
    return;
  }
  on_ = targets_ = used;
  setup_ = {(word & 1) != 0, (word & 2) != 0, (word & 4) != 0};
}

void Let::drop() {
  for (Lane& lane : lanes_) {
    lane.opened.clear();
    lane.left = lane.id = lane.fill = 0;
    lane.next = 1;
    lane.valid = lane.last = lane.final = false;
  }
  for (Token& token : pipe_) token.valid = token.last = false;
  at_ = flight_ = fill_ = 0;
  id_in_ = id_ = 0;
  known_ = 1;
  on_ = targets_ = 0;
  open_ = ending_ = false;
  moving_ = true;
}

bool Let::busy() const {
  return open_ || flight_ != 0 || std::ranges::any_of(lanes_, [](const Lane& l) {
           return l.valid || l.last || l.final || l.fill != 0;
         });
}

void Let::digest_inner(fabric::Digest& digest) const {
  const auto add = [&](const NodeRecord& node) {
    for (const float f : {node.q, node.x, node.y, node.z, node.mass})
      digest.add(std::bit_cast<std::uint32_t>(f));
    digest.add(node.more);
  };
  digest.add(on_ | targets_ << 32);
  digest.add(fill_ | std::uint64_t{id_in_} << 32);
  digest.add(id_ | std::uint64_t{known_} << 32);
  digest.add(unsigned{open_} | unsigned{ending_} << 1 | unsigned{moving_} << 2);
  for (unsigned p = 0; p < fill_; ++p) digest.add(pairs_[p][0] | std::uint64_t{pairs_[p][1]} << 32);
  for (unsigned t = 0; t < pipe_.size(); ++t) {
    const Token& token = pipe_[(at_ + t) % pipe_.size()];
    digest.add(unsigned{token.valid} | unsigned{token.last} << 1);
    if (token.valid) add(token.node), digest.add(token.far);
  }
  for (const Lane& lane : lanes_) {
    digest.add(lane.id | std::uint64_t{lane.next} << 32);
    digest.add(lane.left | unsigned{lane.valid} << 8 | unsigned{lane.last} << 9 | unsigned{lane.final} << 10);
    for (const Range& range : lane.opened) digest.add(range.first | std::uint64_t{range.count} << 32);
    if (lane.valid) add(lane.node);
    for (unsigned p = 0; p < lane.fill; ++p) {
      digest.add(lane.pairs[p][0] | std::uint64_t{lane.pairs[p][1]} << 32);
    }
  }
}

}  // namespace polyloom::blocks::operators
