// SPDX-License-Identifier: Apache-2.0
// A whole simulation in this process.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nbody/run/local_exchange.h"
#include "nbody/run/simulation.h"

namespace polyloom::nbody {

/// Domains as threads over a LocalTeam. The trajectory depends on the number of domains, not on that of
/// threads, nor on the LetMode.
class LocalRun {
 public:
  /// `domain` gives each body's domain in a run that is resumed (clock.forces_known); else it is empty.
  /// `threads`: how many compute at a time; 0: one a processor.
  LocalRun(const Settings& settings, unsigned domains, LetMode mode, unsigned threads, const Bodies& bodies,
           std::span<const std::uint32_t> domain, Clock clock);

  void start();
  void advance(std::uint64_t steps);
  Diagnostics diagnostics(bool direct);
  ForceErrors force_errors(std::size_t samples);

  unsigned domains() const { return static_cast<unsigned>(simulations_.size()); }
  const Simulation& simulation(unsigned rank) const { return *simulations_[rank]; }
  /// All bodies, domain after domain; `domain` as the constructor takes it.
  Bodies bodies(std::vector<std::uint32_t>& domain) const;

 private:
  void each(const std::function<void(unsigned, Simulation&)>& work);

  LocalTeam team_;
  std::vector<std::unique_ptr<LocalExchange>> exchanges_;
  std::vector<std::unique_ptr<Simulation>> simulations_;
};

}  // namespace polyloom::nbody
