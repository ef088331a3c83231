// SPDX-License-Identifier: Apache-2.0
#include "polite/mapper/mesh_placement.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "polite/generators/counter_random.h"

namespace polyloom::polite {

namespace {

constexpr int kStarts = 32;

class Exchange {
 public:
  Exchange(unsigned width, unsigned height, const std::vector<std::uint64_t>& traffic)
      : width_(width), n_(width * height), traffic_(traffic), position_(n_) {}

  void start(const std::vector<std::uint32_t>& position) { position_ = position; }
  const std::vector<std::uint32_t>& position() const { return position_; }

  void improve() {
    for (bool better = true; better;) {
      better = false;
      for (unsigned a = 0; a < n_; ++a) {
        for (unsigned b = a + 1; b < n_; ++b) {
          if (gain(a, b) <= 0) continue;
          std::swap(position_[a], position_[b]);
          better = true;
        }
      }
    }
  }

 private:
  unsigned distance(std::uint32_t p, std::uint32_t q) const {
    const int dx = static_cast<int>(p % width_) - static_cast<int>(q % width_);
    const int dy = static_cast<int>(p / width_) - static_cast<int>(q / width_);
    return static_cast<unsigned>(std::abs(dx) + std::abs(dy));
  }
  /// What the cost would fall by if a and b changed places.
  std::int64_t gain(unsigned a, unsigned b) const {
    std::int64_t sum = 0;
    for (unsigned c = 0; c < n_; ++c) {
      if (c == a || c == b) continue;
      const auto nearer = static_cast<std::int64_t>(distance(position_[a], position_[c])) -
                          static_cast<std::int64_t>(distance(position_[b], position_[c]));
      sum += nearer * (static_cast<std::int64_t>(traffic_[a * n_ + c]) -
                       static_cast<std::int64_t>(traffic_[b * n_ + c]));
    }
    return sum;
  }

  unsigned width_, n_;
  const std::vector<std::uint64_t>& traffic_;
  std::vector<std::uint32_t> position_;
};

}  // namespace

double link_load(unsigned width, unsigned height, const std::vector<std::uint64_t>& traffic,
                 const std::vector<std::uint32_t>& position) {
  const unsigned n = width * height;
  enum { kEast, kWest, kNorth, kSouth, kLinks };
  std::vector<std::uint64_t> load(std::size_t{n} * kLinks, 0);
  for (unsigned a = 0; a < n; ++a) {
    for (unsigned b = 0; b < n; ++b) {
      const std::uint64_t messages = a == b ? 0 : traffic[std::size_t{a} * n + b];
      if (messages == 0) continue;
      unsigned at = position[a];
      const unsigned to = position[b];
      for (; at % width < to % width; ++at) load[at * kLinks + kEast] += messages;
      for (; at % width > to % width; --at) load[at * kLinks + kWest] += messages;
      for (; at < to; at += width) load[at * kLinks + kNorth] += messages;
      for (; at > to; at -= width) load[at * kLinks + kSouth] += messages;
    }
  }
  const unsigned links = 2 * (width * (height - 1) + height * (width - 1));
  const auto sum = static_cast<double>(std::accumulate(load.begin(), load.end(), std::uint64_t{0}));
  return static_cast<double>(*std::max_element(load.begin(), load.end())) + sum / std::max(links, 1u);
}

std::vector<std::uint32_t> place_on_mesh(unsigned width, unsigned height,
                                         const std::vector<std::uint64_t>& traffic, std::uint64_t seed) {
  const unsigned n = width * height;
  std::vector<std::uint32_t> best(n);
  std::iota(best.begin(), best.end(), 0);
  Exchange exchange(width, height, traffic);
  exchange.start(best);
  double best_load = std::numeric_limits<double>::infinity();
  CounterRandom random(seed);
  std::uint64_t draw = 0;
  for (int i = 0; i < kStarts && n > 1; ++i) {
    std::vector<std::uint32_t> position(n);
    std::iota(position.begin(), position.end(), 0);
    for (unsigned j = n - 1; j > 0; --j) std::swap(position[j], position[random.below(draw++, j + 1)]);
    exchange.start(position);
    exchange.improve();
    const double load = link_load(width, height, traffic, exchange.position());
    if (load < best_load) {
      best_load = load;
      best = exchange.position();
    }
  }
  return best;
}

}  // namespace polyloom::polite
