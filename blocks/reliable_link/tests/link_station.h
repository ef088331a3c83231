// SPDX-License-Identifier: Apache-2.0
// A node of a fabric that uses one end of a reliable link: pushes numbered items in groups, checks what
// comes.
#pragma once

#include <random>
#include <stdexcept>
#include <string>

#include "blocks/reliable_link/tests/link_end.h"
#include "fabric/fabric.h"

namespace polyloom::blocks::testing {

/// How a station behaves; chances are of 256 a cycle.
struct Habits {
  Cycle push_until = 0;              ///< pushes before this cycle
  unsigned data = 256;               ///< an item is offered, while it is in the mood
  unsigned control = 2;              ///< a group is begun
  unsigned group = 10;               ///< most items of a data group
  bool moody = true;                 ///< stops pushing and taking now and then, for hundreds of cycles
  Cycle deaf_from = 0, deaf_to = 0;  ///< takes no data in between
};

class Station final : public fabric::Node {
 public:
  Station(std::unique_ptr<LinkEnd> end, const Habits& habits, fabric::Clock clock, std::uint64_t seed)
      : end_(std::move(end)), habits_(habits), clock_(clock), rng_(seed), salt_(seed) {}

  void advance(fabric::Time until) override {
    for (; clock_.edge(cycle_) < until; ++cycle_) step(cycle_);
    if (auto* rtl = dynamic_cast<RtlEnd*>(end_.get())) rtl->flush(until);
  }
  fabric::Time next_event() const override { return clock_.edge(cycle_); }

  /// Item n of a channel from the station with this seed.
  static std::uint64_t item(std::uint64_t seed, unsigned ch, std::uint64_t n) {
    return fabric::mix64(seed * 1000003 + n * 2 + ch);
  }
  std::uint64_t pushed[kChannels] = {}, taken[kChannels] = {};
  std::uint64_t far_salt = 0;  ///< seed of the other station
  LinkEnd& end() { return *end_; }
  RtlEnd& rtl() { return dynamic_cast<RtlEnd&>(*end_); }

 private:
  bool chance(unsigned of_256) { return rng_() % 256 < of_256; }

  void step(Cycle k) {
    if (habits_.moody && rng_() % 300 == 0) eager_ = rng_() % 3;
    if (habits_.moody && rng_() % 300 == 0) lazy_ = rng_() % 3;
    const bool pushing = k < habits_.push_until;
    Offer offer;
    for (unsigned ch = 0; ch < kChannels; ++ch) {
      Offer::Side& side = offer.side[ch];
      if (left_[ch] == 0 && pushing) {
        const bool begin = ch == kData ? eager_ != 0 && chance(habits_.data) : chance(habits_.control);
        if (begin) left_[ch] = 1 + rng_() % (ch == kData ? habits_.group : 4);
      }
      side.valid = waits_[ch] || (left_[ch] != 0 && (eager_ != 1 || chance(128)));
      side.last = left_[ch] == 1;
      side.item = item(salt_, ch, pushed[ch]);
      const bool deaf = ch == kData && k >= habits_.deaf_from && k < habits_.deaf_to;
      side.take = !deaf && (lazy_ == 0 || (lazy_ == 1 && chance(60)) || !pushing);
    }
    const Outcome result = end_->cycle(k, offer);
    for (unsigned ch = 0; ch < kChannels; ++ch) {
      const Outcome::Side& side = result.side[ch];
      waits_[ch] = offer.side[ch].valid && !side.pushed;
      if (side.pushed) ++pushed[ch], --left_[ch];
      if (!side.popped) continue;
      if (side.item != item(far_salt, ch, taken[ch])) {
        throw std::runtime_error("cycle " + std::to_string(k) + ": channel " + std::to_string(ch) +
                                 " gives another item than number " + std::to_string(taken[ch]));
      }
      ++taken[ch];
    }
  }

  std::unique_ptr<LinkEnd> end_;
  Habits habits_;
  fabric::Clock clock_;
  std::mt19937_64 rng_;
  std::uint64_t salt_;
  Cycle cycle_ = 0;
  std::uint64_t eager_ = 2, lazy_ = 0;
  std::uint64_t left_[kChannels] = {};
  bool waits_[kChannels] = {};
};

}  // namespace polyloom::blocks::testing
