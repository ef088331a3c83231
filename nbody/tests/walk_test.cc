// SPDX-License-Identifier: Apache-2.0
// Covers: forces of walks against direct summation written here, LETs against whole trees bit by bit,
// independence of threads, softening and degenerate sets. Leaves out: the size of errors on large sets
// (test_nbody_*.py).
#include "nbody/walk/walk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "fabric/error.h"
#include "nbody/run/orb.h"
#include "nbody/tests/bodies_for_tests.h"
#include "nbody/tree/let.h"

namespace polyloom::nbody {
namespace {

using test::Made;

/// Largest |a - a_direct| by the largest |a_direct|.
double worst_error(const Bodies& b, double eps, double* worst_potential = nullptr) {
  double worst = 0, most = 0, off_potential = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 a;
    double potential = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Vec3 d = b.position[j] - b.position[i];
      const double r2 = dot(d, d) + eps * eps;
      if (j == i || r2 == 0) continue;
      a = a + (b.mass[j] / (r2 * std::sqrt(r2))) * d;
      potential -= b.mass[j] / std::sqrt(r2);
    }
    const Vec3 off = b.acceleration[i] - a;
    worst = std::max(worst, std::sqrt(dot(off, off)));
    most = std::max(most, std::sqrt(dot(a, a)));
    off_potential =
        std::max(off_potential, std::abs(b.potential[i] - potential) / std::max(1e-300, std::abs(potential)));
  }
  if (worst_potential != nullptr) *worst_potential = off_potential;
  return most > 0 ? worst / most : worst;
}

TEST(WalkTest, SmallThetaIsDirectSummation) {
  Settings s;
  s.mac.theta = 0.001;
  for (const double eps : {0.0, 0.05}) {
    for (const unsigned group : {1u, 5u, 32u, 64u}) {
      s.eps = eps;
      s.group = group;
      Made made(s, make_problem("plummer", 700, 4));
      made.domain.walk({});
      double potential = 0;
      EXPECT_LT(worst_error(made.domain.bodies, eps, &potential), 1e-5) << eps << " " << group;
      EXPECT_LT(potential, 1e-5);
      EXPECT_EQ(made.domain.stats().points, 700u * 700u);
    }
  }
}

TEST(WalkTest, SecondMomentsMakeFarCellsBetter) {
  Settings s;
  s.mac.theta = 0.8;
  Made mono(s, make_problem("plummer", 2000, 4));
  mono.domain.walk({});
  s.quadrupole = true;
  Made quad(s, make_problem("plummer", 2000, 4));
  quad.domain.walk({});
  EXPECT_GT(quad.domain.stats().cells, 0u);
  double rough = 0, fine = 0;
  const double a = worst_error(mono.domain.bodies, s.eps, &rough),
               b = worst_error(quad.domain.bodies, s.eps, &fine);
  EXPECT_LT(b, 0.6 * a);
  EXPECT_LT(fine, 0.5 * rough);
}

/// Expansion of one far cell: the error falls with the third power of the distance with second moments, and
/// with softening far larger than the cell it must still be right.
TEST(WalkTest, SecondMomentsOfASoftenedCell) {
  for (const double eps : {0.0, 0.5}) {
    double errors[2];
    for (unsigned k = 0; k < 2; ++k) {
      Bodies b = make_problem("cold-sphere", 33, 9);
      const double away = k == 0 ? 4 : 8;
      for (std::size_t i = 0; i < 32; ++i) b.position[i] = 0.1 * b.position[i];
      b.position[32] = {away, 0.3 * away, -0.2 * away};
      Settings s;
      s.quadrupole = true;
      s.mac = {Criterion::kAngle, 0.9, 0};
      s.group = 1;
      s.eps = eps;
      Made made(s, b);
      made.domain.walk({});
      const Bodies& got = made.domain.bodies;
      for (std::size_t i = 0; i < 33; ++i) {
        if (got.id[i] != 32) continue;
        Vec3 a;
        for (std::size_t j = 0; j < 32; ++j) {
          const Vec3 d = b.position[j] - b.position[32];
          a = a + (b.mass[j] / std::pow(dot(d, d) + eps * eps, 1.5)) * d;
        }
        const Vec3 off = got.acceleration[i] - a;
        errors[k] = std::sqrt(dot(off, off) / dot(a, a));
      }
      EXPECT_GT(made.domain.stats().cells, 0u);
    }
    EXPECT_LT(errors[0], 2e-4) << eps;
    EXPECT_LT(errors[1], errors[0] / 3) << eps;  // 8 less what fp32 adds
  }
}

TEST(WalkTest, DegenerateSets) {
  Settings s;
  for (const double eps : {0.0, 0.1}) {
    s.eps = eps;
    for (const std::size_t n : {0u, 1u, 2u, 100u, 3000u}) {
      Made made(s, n == 0 ? Bodies{} : test::coincident(n));
      made.domain.walk({});
      for (std::size_t i = 0; i < n; ++i) {
        const Vec3& a = made.domain.bodies.acceleration[i];
        ASSERT_EQ(dot(a, a), 0) << n;
        const double others = eps > 0 ? -(1.0 - 1.0 / static_cast<double>(n)) / eps : 0;
        ASSERT_NEAR(made.domain.bodies.potential[i], others, 1e-4);
      }
    }
    Bodies light = test::uniform(50);
    for (double& m : light.mass) m = 0;
    Made made(s, std::move(light));
    made.domain.walk({});
    for (const Vec3& a : made.domain.bodies.acceleration) ASSERT_EQ(dot(a, a), 0);
  }
}

TEST(WalkTest, RunawaysDoNotCoarsenTheOthers) {
  Settings s;
  Made calm(s, make_problem("plummer", 2000, 3));
  calm.domain.walk({});
  for (const double away : {1e4, 1e9, 1e30}) {
    Bodies b = make_problem("plummer", 2000, 3);
    b.position[7] = {-away, away, 0};
    b.position[8] = {away, 0, 0};
    Made made(s, b);
    made.domain.walk({});
    if (away < 1e20) {
      EXPECT_LT(made.domain.stats().points, 1.5 * static_cast<double>(calm.domain.stats().points)) << away;
      EXPECT_LT(worst_error(made.domain.bodies, s.eps), 0.02) << away;
    }
    for (const Vec3& a : made.domain.bodies.acceleration) ASSERT_TRUE(std::isfinite(dot(a, a)));
  }
}

TEST(WalkTest, ThreadsDoNotMatter) {
  Settings s;
  s.quadrupole = true;
  Made one(s, make_problem("plummer", 3000, 2));
  one.domain.walk({});
  fabric::Pool pool(3);
  Domain three(s, pool);
  three.bodies = make_problem("plummer", 3000, 2);
  three.sort(one.domain.frame(), false);
  std::vector<NodeRecord> memory(three.make_tree());
  three.summarize(memory);
  three.walk({});
  EXPECT_EQ(std::memcmp(three.bodies.acceleration.data(), one.domain.bodies.acceleration.data(),
                        3000 * sizeof(Vec3)),
            0);
  EXPECT_EQ(
      std::memcmp(three.bodies.potential.data(), one.domain.bodies.potential.data(), 3000 * sizeof(double)),
      0);
}

/// Domains of a problem by bisection, all in one frame, with forces known from a first pass.
std::vector<std::unique_ptr<Made>> domains_of(const Settings& s, const std::string& problem, unsigned count) {
  Made whole(s, make_problem(problem, 4000, 6));
  whole.domain.walk({});
  const Bodies& all = whole.domain.bodies;
  const Bisection cuts(all.position, count);
  std::vector<std::unique_ptr<Made>> made;
  for (unsigned d = 0; d < count; ++d) {
    std::vector<std::uint32_t> own;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (cuts.owner(all.position[i]) == d) own.push_back(i);
    }
    Bodies mine = all;
    mine.arrange(own);
    made.push_back(std::make_unique<Made>(s, std::move(mine), whole.domain.frame(), true));
  }
  return made;
}

TEST(WalkTest, LetsGiveTheForcesOfWholeTrees) {
  for (const TargetShape shape : {TargetShape::kBox, TargetShape::kSphere}) {
    for (const Criterion c : {Criterion::kSide, Criterion::kAngle, Criterion::kAcceleration}) {
      for (const char* problem : {"plummer", "hernquist"}) {
        for (const bool quadrupole : {false, true}) {
          Settings s;
          s.target = shape;
          s.mac = {c, 0.8, 1.0 / 64};
          s.quadrupole = quadrupole;
          SCOPED_TRACE(std::string(problem) + " criterion " + std::to_string(static_cast<int>(c)) +
                       " target " + std::to_string(static_cast<int>(shape)) +
                       (quadrupole ? " quadrupole" : " monopole"));
          auto domains = domains_of(s, problem, 5);
          std::size_t kept = 0, full = 0;
          for (std::size_t to = 0; to < domains.size(); ++to) {
            std::vector<Let> lets(domains.size());
            std::vector<TreeView> pruned, whole;
            for (std::size_t from = 0; from < domains.size(); ++from) {
              if (from == to) continue;
              make_let(domains[from]->domain.tree(), domains[to]->domain.summary().target, lets[from]);
              pruned.push_back(lets[from].view());
              whole.push_back(domains[from]->domain.tree());
              kept += lets[from].count;
              full += domains[from]->memory.size();
            }
            Domain& d = domains[to]->domain;
            d.walk(whole);
            const Bodies expected = d.bodies;
            const WalkStats stats = d.stats();
            d.walk(pruned);
            ASSERT_EQ(
                std::memcmp(d.bodies.acceleration.data(), expected.acceleration.data(), d.bodies.size() * 24),
                0);
            ASSERT_EQ(std::memcmp(d.bodies.potential.data(), expected.potential.data(), d.bodies.size() * 8),
                      0);
            ASSERT_EQ(d.stats().points, stats.points);
          }
          if (shape == TargetShape::kBox) {
            EXPECT_LT(kept, full);
          }
        }
      }
    }
  }
}

/// Spheres that touch a body's own position are where the margins of the sphere's test are needed.
TEST(WalkTest, SphereOfTwoBodiesFarAway) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Bodies b = make_problem("cold-sphere", 34, seed);
    for (std::size_t i = 0; i < 32; ++i) b.position[i] = 0.05 * b.position[i];
    b.position[33] = b.position[32] + 0.2 * b.position[0];
    const Extent e = extent_of(b.position, b.mass);
    const Frame frame = make_frame(std::span(&e, 1));
    Settings s;
    s.target = TargetShape::kSphere;
    s.group = 1;
    std::vector<std::uint32_t> first, second = {32, 33};
    for (std::uint32_t i = 0; i < 32; ++i) first.push_back(i);
    Bodies cluster = b, pair = b;
    cluster.arrange(first);
    pair.arrange(second);
    // The angle at which the nearer of the two just opens or accepts the cluster.
    const Made probe(s, cluster, frame, false);
    const NodeRecord root = probe.memory[0];
    const Made at(s, pair, frame, false);
    for (const Point& p : at.domain.points()) {
      const float r = std::sqrt((p.x - root.x) * (p.x - root.x) + (p.y - root.y) * (p.y - root.y) +
                                (p.z - root.z) * (p.z - root.z));
      s.mac.theta =
          std::min(2.0, double{probe.domain.local_tree().radius()[0]} / r * (1 + (seed % 7) * 1e-7));
      Made sender(s, cluster, frame, false), receiver(s, pair, frame, false);
      Let let;
      make_let(sender.domain.tree(), receiver.domain.summary().target, let);
      const TreeView whole[] = {sender.domain.tree()}, pruned[] = {let.view()};
      receiver.domain.walk(whole);
      const Bodies expected = receiver.domain.bodies;
      receiver.domain.walk(pruned);
      for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_EQ(receiver.domain.bodies.potential[i], expected.potential[i]) << seed;
      }
    }
  }
}

TEST(WalkTest, RefusesWhatItCannotDo) {
  for (const auto& change : std::vector<void (*)(Settings&)>{
           [](Settings& s) { s.mac.theta = 0; }, [](Settings& s) { s.mac.theta = 3; },
           [](Settings& s) {
             s.mac = {Criterion::kAcceleration, 0.5, 0};
           },
           [](Settings& s) { s.eps = -1; }, [](Settings& s) { s.group = 65; },
           [](Settings& s) { s.group = 0; }, [](Settings& s) { s.leaf = 9; }, [](Settings& s) { s.dt = 0; },
           [](Settings& s) { s.gravity = -1; }, [](Settings& s) { s.rebalance = 0; },
           [](Settings& s) { s.eps = std::numeric_limits<double>::quiet_NaN(); }}) {
    Settings s;
    change(s);
    EXPECT_THROW(check_settings(s), UserError);
  }
  EXPECT_NO_THROW(check_settings(Settings{}));
}

}  // namespace
}  // namespace polyloom::nbody
