// SPDX-License-Identifier: Apache-2.0
// A wire that loses, doubles and delays frames, at random or as told: a fabric node between two others (links
// themselves lose and damage at random).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <queue>
#include <random>
#include <vector>

#include "fabric/fabric.h"

namespace polyloom::mpi::testing {

class Disturber final : public fabric::Node {
 public:
  /// Chances of a frame to be doubled, and to be delayed by up to `lateness`, past others.
  struct Faults {
    double twice = 0, late = 0;
    fabric::Time lateness = 20'000'000;
  };
  Disturber(std::array<fabric::Port, 2> ports, Faults faults, std::uint64_t seed)
      : ports_(ports), faults_(faults), random_(seed) {}

  /// What becomes of an MPI frame, by its number over both directions. A late one lets the next one of its
  /// direction go first. Without a schedule chance decides.
  enum class Fate { pass, lost, twice, late };
  std::function<Fate(unsigned number)> schedule;

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;

 private:
  struct Held {
    fabric::Time at;
    std::uint64_t order;
    std::uint8_t keep;
    std::vector<std::uint64_t> words;
    bool operator>(const Held& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  void pass(std::size_t port, fabric::Time at, std::uint8_t keep);
  void pass_as_reported(std::size_t port, fabric::Time at, std::uint8_t keep);
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }

  std::array<fabric::Port, 2> ports_;
  Faults faults_;
  std::mt19937_64 random_;
  std::uint64_t order_ = 0;
  unsigned number_ = 0;                                ///< of the next MPI frame
  std::array<std::optional<Held>, 2> overtaken_;       ///< waits for the next of its direction
  std::array<std::vector<std::uint64_t>, 2> partial_;  ///< by port it comes from
  std::array<std::priority_queue<Held, std::vector<Held>, std::greater<>>, 2> out_;  ///< by port it goes to
};

}  // namespace polyloom::mpi::testing
