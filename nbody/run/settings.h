// SPDX-License-Identifier: Apache-2.0
// What a simulation is told.
#pragma once

#include <array>
#include <chrono>

#include "nbody/tree/tree.h"

namespace polyloom::nbody {

enum class TargetShape { kBox, kSphere };

struct Settings {
  Mac mac;
  bool quadrupole = false;
  double eps = 0;  ///< Plummer softening: a = sum G m d / (d^2 + eps^2)^1.5
  double gravity = 1;
  double dt = 1.0 / 128;
  unsigned leaf =
      4;  ///< bodies that a cell contributes directly; 8 as in GOTHIC: more interactions, larger LETs
  unsigned group = 32;     ///< bodies that share an interaction list
  unsigned rebalance = 1;  ///< steps between decompositions: bodies that stray widen boxes, LETs and lists
  TargetShape target = TargetShape::kBox;
};
/// Throws UserError naming the value that is wrong and what it may be.
void check_settings(const Settings& settings);

/// Parts of a step; the first five as in the breakdown of the PEACH2 paper's figure 4 ("node": kLet and
/// kExchange).
enum class Phase { kKeys, kMakeTree, kCalcMac, kWalk, kLet, kExchange, kMove, kDecompose };
inline constexpr std::size_t kPhases = 8;
inline constexpr std::array<const char*, kPhases> kPhaseNames = {
    "PH-key", "make tree",         "calc MAC",       "walk tree",
    "LET",    "exchange and wait", "kick and drift", "decompose"};

/// Seconds by phase, of the wall and, on a simulated cluster, simulated. Of the wall's, what an Exchange
/// waited inside of a phase counts to kExchange.
class PhaseClock {
 public:
  /// Ends the current part and adds it, less `waited`, to `phase`. `simulated`: of the whole part.
  void lap(Phase phase, double waited = 0, double simulated = 0) {
    simulated_[static_cast<std::size_t>(phase)] += simulated;
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    seconds_[static_cast<std::size_t>(phase)] += passed - waited;
    seconds_[static_cast<std::size_t>(Phase::kExchange)] += waited;
    last_ = now;
  }
  /// What passed since the last lap belongs to no phase.
  void skip() { last_ = std::chrono::steady_clock::now(); }
  const std::array<double, kPhases>& seconds() const { return seconds_; }
  const std::array<double, kPhases>& simulated() const { return simulated_; }

 private:
  std::array<double, kPhases> seconds_{}, simulated_{};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace polyloom::nbody
