// SPDX-License-Identifier: Apache-2.0
#include "nbody/run/local_run.h"

#include <algorithm>
#include <string>
#include <thread>

#include "fabric/error.h"

namespace polyloom::nbody {
namespace {

constexpr unsigned kMostDomains = 4096;

unsigned threads_or_all(unsigned threads) {
  return threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}
unsigned workers_of_domain(unsigned domains, unsigned threads) {
  return std::max(1u, threads_or_all(threads) / std::max(1u, domains));
}

}  // namespace

LocalRun::LocalRun(const Settings& settings, unsigned domains, LetMode mode, unsigned threads,
                   const Bodies& bodies, std::span<const std::uint32_t> domain, Clock clock)
    : team_(domains, std::max(1u, threads_or_all(threads) / workers_of_domain(domains, threads)), mode) {
  if (domains < 1 || domains > kMostDomains) {
    throw UserError(std::to_string(domains) + " domains: must be 1 to " + std::to_string(kMostDomains));
  }
  check_bodies(bodies.position, bodies.velocity,
               bodies.mass);  // here, so that a message's index is the caller's
  std::vector<std::vector<std::uint32_t>> own(domains);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t to = domain.empty() ? i * domains / bodies.size() : domain[i];
    if (to >= domains)
      throw UserError("body " + std::to_string(i) + " is in domain " + std::to_string(to) + " of " +
                      std::to_string(domains));
    own[to].push_back(static_cast<std::uint32_t>(i));
  }
  for (unsigned rank = 0; rank < domains; ++rank) {
    Bodies mine = bodies;
    mine.arrange(own[rank]);
    exchanges_.push_back(std::make_unique<LocalExchange>(team_, rank));
    simulations_.push_back(std::make_unique<Simulation>(
        settings, *exchanges_[rank], workers_of_domain(domains, threads), std::move(mine), clock));
  }
}

void LocalRun::each(const std::function<void(unsigned, Simulation&)>& work) {
  team_.run([&](unsigned rank) { work(rank, *simulations_[rank]); });
}

void LocalRun::start() {
  each([](unsigned, Simulation& s) { s.start(); });
}

void LocalRun::advance(std::uint64_t steps) {
  each([&](unsigned, Simulation& s) {
    s.start();
    for (std::uint64_t i = 0; i < steps; ++i) s.step();
  });
}

Diagnostics LocalRun::diagnostics(bool direct) {
  Diagnostics result;
  each([&](unsigned rank, Simulation& s) {
    const Diagnostics mine = s.diagnostics(direct);
    if (rank == 0) result = mine;
  });
  return result;
}

ForceErrors LocalRun::force_errors(std::size_t samples) {
  ForceErrors result;
  each([&](unsigned rank, Simulation& s) {
    const ForceErrors mine = s.force_errors(samples);
    if (rank == 0) result = mine;
  });
  return result;
}

Bodies LocalRun::bodies(std::vector<std::uint32_t>& domain) const {
  Bodies all;
  domain.clear();
  for (unsigned rank = 0; rank < domains(); ++rank) {
    const Bodies& b = simulation(rank).bodies();
    const auto put = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    put(all.position, b.position);
    put(all.velocity, b.velocity);
    put(all.acceleration, b.acceleration);
    put(all.mass, b.mass);
    put(all.potential, b.potential);
    put(all.id, b.id);
    domain.insert(domain.end(), b.size(), rank);
  }
  return all;
}

}  // namespace polyloom::nbody
