// SPDX-License-Identifier: Apache-2.0
// Covers: leapfrog over domains: same trajectory for threads and for LETs or whole trees, going on from a
// state, the Kepler orbit, empty domains, failures of a rank. Leaves out: files and the command
// (test_nbody_*.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "fabric/error.h"
#include "nbody/problems/problems.h"
#include "nbody/run/local_run.h"
#include "nbody/run/orb.h"

namespace polyloom::nbody {
namespace {

LocalRun fresh(const Settings& s, const Bodies& bodies, unsigned domains, LetMode mode = LetMode::kHost,
               unsigned threads = 2) {
  return LocalRun(s, domains, mode, threads, bodies, {}, Clock{});
}

void expect_same(const LocalRun& a, const LocalRun& b) {
  std::vector<std::uint32_t> domain_a, domain_b;
  const Bodies x = a.bodies(domain_a), y = b.bodies(domain_b);
  ASSERT_EQ(x.id, y.id);
  ASSERT_EQ(domain_a, domain_b);
  ASSERT_EQ(std::memcmp(x.position.data(), y.position.data(), 24 * x.size()), 0);
  ASSERT_EQ(std::memcmp(x.velocity.data(), y.velocity.data(), 24 * x.size()), 0);
  ASSERT_EQ(std::memcmp(x.acceleration.data(), y.acceleration.data(), 24 * x.size()), 0);
  ASSERT_EQ(std::memcmp(x.potential.data(), y.potential.data(), 8 * x.size()), 0);
}

TEST(RunTest, TrajectoryDependsNeitherOnThreadsNorOnLets) {
  for (const Criterion c : {Criterion::kAngle, Criterion::kAcceleration}) {
    for (const unsigned domains : {1u, 3u, 8u}) {
      Settings s;
      s.mac.criterion = c;
      s.rebalance = 3;
      s.quadrupole = domains == 3;
      const Bodies b = make_problem("plummer", 1500, 5);
      LocalRun one = fresh(s, b, domains, LetMode::kHost, 1), many = fresh(s, b, domains, LetMode::kHost, 5);
      LocalRun whole = fresh(s, b, domains, LetMode::kFull, 2);
      one.advance(7);
      many.advance(3);
      many.advance(4);
      whole.advance(7);
      expect_same(one, many);
      expect_same(one, whole);
    }
  }
}

TEST(RunTest, GoesOnFromAStateBitByBit) {
  Settings s;
  s.mac.criterion = Criterion::kAcceleration;
  s.rebalance = 4;
  LocalRun straight = fresh(s, make_problem("hernquist", 900, 5), 3);
  straight.advance(5);
  std::vector<std::uint32_t> domain;
  const Bodies at = straight.bodies(domain);
  LocalRun resumed(s, 3, LetMode::kHost, 1, at, domain, straight.simulation(0).clock());
  straight.advance(6);
  resumed.advance(6);
  expect_same(straight, resumed);
  EXPECT_EQ(resumed.simulation(0).clock().step, 11u);
}

/// Domains end on borders of cells as far as shares allow. Where they cannot (numbers that are no power of
/// two), cells that are cut apart cost up to three times the error.
TEST(RunTest, ForcesOfManyDomainsAreAsGoodAsOfOne) {
  double alone = 0;
  for (const auto& [domains, times] :
       {std::pair{1u, 1.0}, {2u, 1.2}, {4u, 1.2}, {8u, 1.2}, {7u, 3.0}, {16u, 3.0}}) {
    LocalRun run = fresh(Settings{}, make_problem("plummer", 10000, 2), domains);
    run.advance(3);
    const ForceErrors e = run.force_errors(1000);
    EXPECT_NEAR(static_cast<double>(e.samples), 1000, domains);
    if (domains == 1) alone = e.median;
    EXPECT_LE(e.median, times * alone) << domains;
    EXPECT_GT(e.median, 1e-5) << domains;
    EXPECT_LT(e.p99, 2e-2) << domains;
  }
}

TEST(RunTest, KeplerOrbitAcrossADomainBorder) {
  Settings s;
  s.eps = 0;
  s.mac.theta = std::sqrt(1.5);
  s.dt = 0.01;
  s.rebalance = 1;
  LocalRun run = fresh(s, make_problem("kepler", 2, 0), 2);
  run.start();
  const Diagnostics start = run.diagnostics(true);
  EXPECT_NEAR(start.energy(), -1, 1e-15);
  EXPECT_LT(std::sqrt(dot(start.centre, start.centre)), 1e-15);
  run.advance(1000);
  std::vector<std::uint32_t> domain;
  const Bodies b = run.bodies(domain);
  EXPECT_NE(domain[0], domain[1]);
  const unsigned heavy = b.mass[0] == 2 ? 0 : 1;
  const Vec3 x = b.position[1 - heavy] - b.position[heavy], v = b.velocity[1 - heavy] - b.velocity[heavy];
  const double r = std::sqrt(dot(x, x));
  const double axis = 1 / (2 / r - dot(v, v) / 3);
  const double spin = x.x * v.y - x.y * v.x;
  EXPECT_NEAR(axis, 1, 1e-3);
  EXPECT_NEAR(std::sqrt(1 - spin * spin / (3 * axis)), 0.1, 1e-2);
  // Where it must be: mean anomaly pi at the start (apocentre), Kepler's equation by iteration.
  const double mean = std::numbers::pi + std::sqrt(3.0) * 10;
  double anomaly = mean;
  for (unsigned i = 0; i < 60; ++i) anomaly = mean + 0.1 * std::sin(anomaly);
  // The orbit starts on +x at apocentre, so pericentre is on -x.
  EXPECT_NEAR(x.x, -(std::cos(anomaly) - 0.1), 0.02);
  EXPECT_NEAR(x.y, -std::sqrt(1 - 0.01) * std::sin(anomaly), 0.02);
}

TEST(RunTest, FewBodiesManyDomains) {
  for (const std::size_t n : {0u, 1u, 2u, 5u}) {
    const Bodies b = n == 0 ? Bodies{} : make_problem("plummer", n, 1);
    LocalRun run = fresh(Settings{}, b, 4);
    run.advance(3);
    EXPECT_EQ(run.diagnostics(false).bodies, n);
  }
  Bodies same = make_problem("plummer", 100, 1);
  for (Vec3& p : same.position) p = {1, 2, 3};
  Settings soft;
  soft.eps = 0.01;
  LocalRun run = fresh(soft, same, 4);
  run.start();
  const auto d = run.diagnostics(true);
  EXPECT_NEAR(d.potential, -0.5 * 0.99 / 0.01, 1e-9);
  EXPECT_NEAR(run.diagnostics(false).potential, d.potential, 1e-3);
}

TEST(RunTest, PlummerKeepsEnergyAndMomentum) {
  Settings s;
  s.eps = 0.01;
  LocalRun run = fresh(s, make_problem("plummer", 1024, 1), 2);
  run.start();
  const Diagnostics first = run.diagnostics(true);
  EXPECT_NEAR(first.energy(), -0.257, 0.02);
  EXPECT_LT(std::sqrt(dot(first.momentum, first.momentum)), 1e-15);
  run.advance(128);
  const Diagnostics last = run.diagnostics(true);
  EXPECT_NEAR(last.energy(), first.energy(), 2e-3 * std::abs(first.energy()));
  EXPECT_LT(std::sqrt(dot(last.momentum, last.momentum)), 1e-3);
}

TEST(RunTest, BadBodiesAndDomainsAreRefused) {
  Bodies b = make_problem("plummer", 10, 1);
  b.velocity[4].z = NAN;
  EXPECT_THROW(fresh(Settings{}, b, 2), UserError);
  b.velocity[4].z = 0;
  EXPECT_THROW(fresh(Settings{}, b, 0), UserError);
  const std::vector<std::uint32_t> domain(10, 2);
  EXPECT_THROW(LocalRun(Settings{}, 2, LetMode::kHost, 1, b, domain, Clock{0, 0, true}), UserError);
}

TEST(RunTest, ABodyThatLeavesAllBoundsIsNamed) {
  for (const unsigned domains : {1u, 3u}) {
    Bodies b = make_problem("plummer", 60, 1);
    b.velocity[37] = {0, 1e149, 0};
    Settings s;
    s.dt = 8;
    LocalRun run = fresh(s, b, domains);
    try {
      run.advance(3);
      FAIL() << "no exception";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("body 37 left all bounds in step 2"), std::string::npos)
          << error.what();
    }
  }
}

TEST(LocalTeamTest, ARankThatFailsEndsTheOthers) {
  for (unsigned round = 0; round < 20; ++round) {
    LocalTeam team(5, 2, LetMode::kHost);
    try {
      team.run([&](unsigned rank) {
        LocalExchange exchange(team, rank);
        for (unsigned i = 0; i < 10; ++i) {
          if (rank == 3 && i == round % 10) throw UserError("rank 3");
          const auto all = exchange.all_gather(std::as_bytes(std::span(&rank, 1)));
          ASSERT_EQ(all.size(), 5u);
        }
      });
      FAIL() << "no exception";
    } catch (const UserError& error) {
      EXPECT_STREQ(error.what(), "rank 3");
    }
  }
}

TEST(BisectionTest, EqualSharesForAnyNumberOfDomains) {
  const Bodies b = make_problem("plummer", 5000, 1);
  for (const unsigned domains : {1u, 2u, 3u, 7u, 8u, 16u}) {
    const Bisection cuts(b.position, domains);
    std::vector<std::size_t> share(domains, 0);
    for (const Vec3& p : b.position) ++share.at(cuts.owner(p));
    for (const std::size_t n : share)
      EXPECT_NEAR(static_cast<double>(n), 5000.0 / domains, domains) << domains;
  }
  EXPECT_EQ(Bisection({}, 4).owner({1, 2, 3}) < 4, true);
}

}  // namespace
}  // namespace polyloom::nbody
