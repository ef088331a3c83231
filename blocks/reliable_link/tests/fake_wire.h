// SPDX-License-Identifier: Apache-2.0
// A deterministic wire for link tests: fixed latency, word rate, and losses drawn from a seeded generator.
#pragma once

#include <deque>
#include <random>
#include <stdexcept>

#include "fabric/node.h"

namespace polyloom::blocks {

class FakeWire {
 public:
  struct Spec {
    fabric::Time latency = 780'000;
    fabric::Time period = 6'400;
    double drop = 0;     ///< chance of a frame to vanish
    double corrupt = 0;  ///< chance of a frame to have some bits flipped
    std::uint64_t seed = 1;
    std::size_t split = 0;  ///< cut frames into segments of so many words (0: whole)
  };
  explicit FakeWire(const Spec& spec) : spec_(spec), rng_(spec.seed), out_(*this), in_(*this) {}

  fabric::Tx& tx() { return out_; }
  fabric::Rx& rx() { return in_; }
  /// The window being advanced: sends must start inside.
  void window(fabric::Time start, fabric::Time end) { start_ = start, end_ = end; }
  void set_loss(double drop, double corrupt) { spec_.drop = drop, spec_.corrupt = corrupt; }

  std::uint64_t words = 0, frames = 0;
  fabric::Time busy_until = 0;

 private:
  bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(rng_) < p; }

  void send(fabric::Segment s) {
    if (s.first < start_ || s.first >= end_) throw std::logic_error("send outside the window");
    if (s.first < busy_until) throw std::logic_error("send while busy");
    s.period = spec_.period;
    busy_until = s.end();
    words += s.words.size();
    ++frames;
    if (chance(spec_.drop)) return;
    if (chance(spec_.corrupt)) {
      for (std::uint64_t flips = 1 + rng_() % 40; flips != 0; --flips) {
        s.words[rng_() % s.words.size()] ^= std::uint64_t{1} << (rng_() % 64);
      }
    }
    s.first += spec_.latency;
    if (spec_.split == 0) {
      arrivals_.push_back(std::move(s));
      return;
    }
    for (std::size_t i = 0; i < s.words.size(); i += spec_.split) {
      fabric::Segment piece;
      piece.first = s.word_time(i);
      piece.period = s.period;
      piece.head = i == 0;
      const std::size_t end = std::min(i + spec_.split, s.words.size());
      piece.tail = end == s.words.size();
      piece.words.assign(s.words.begin() + static_cast<std::ptrdiff_t>(i),
                         s.words.begin() + static_cast<std::ptrdiff_t>(end));
      if (chance(spec_.drop / 4)) continue;  // a piece may be lost alone
      arrivals_.push_back(std::move(piece));
    }
  }

  struct Out final : fabric::Tx {
    explicit Out(FakeWire& w) : wire(w) {}
    void send(fabric::Segment s) override { wire.send(std::move(s)); }
    fabric::Time free_at() const override { return wire.busy_until; }
    fabric::Time period() const override { return wire.spec_.period; }
    FakeWire& wire;
  };
  struct In final : fabric::Rx {
    explicit In(FakeWire& w) : wire(w) {}
    const fabric::Segment* front() const override {
      return wire.arrivals_.empty() ? nullptr : &wire.arrivals_.front();
    }
    void pop() override { wire.arrivals_.pop_front(); }
    FakeWire& wire;
  };

  Spec spec_;
  std::mt19937_64 rng_;
  fabric::Time start_ = 0, end_ = 0;
  std::deque<fabric::Segment> arrivals_;
  Out out_;
  In in_;
};

}  // namespace polyloom::blocks
