// SPDX-License-Identifier: Apache-2.0
// Covers: the model's parts from the cycles of the role's README, growth with size, latency and rates, the
// order of choices, nccl-tests' factors. Leaves out: agreement with the simulation
// (../../tests/test_time.py).
#include "roles/collective/host/schedule/cost.h"

#include <gtest/gtest.h>

#include "roles/collective/host/schedule/algorithms.h"

namespace polyloom::collective {
namespace {

CostParameters parameters() {
  CostParameters p;
  p.cycle = 5e-9;
  p.link_latency = 170e-9;
  p.lane_rate = 45e9 / 8;
  p.memory_rate = 6.4e9;
  p.read_latency = 120e-9;
  p.write_latency = 40e-9;
  return p;
}
Request unicast(std::uint64_t bytes) {
  return {.operation = Operation::unicast, .sizes = {bytes}, .root = 0, .destination = 1};
}
double seconds(const Request& r, const Topology& t, const CostParameters& p,
               const std::string& name = "direct", double scale = 1) {
  const NodeShape shape{8, 8, 2, 0};
  return predict(compile(name, {r, t, shape}).schedule, t, p, scale);
}

TEST(Cost, PartsAreTheCyclesOfTheReadme) {
  const CostParameters p = parameters();
  EXPECT_NEAR(p.pulse(), 170e-9 + 2 * 5e-9, 1e-15);               // to the wire 1, to count 1
  EXPECT_NEAR(p.next_hop(), 170e-9 + 3 * 5e-9, 1e-15);            // rx, switch, tx
  EXPECT_NEAR(p.first_hop(), 120e-9 + 170e-9 + 5 * 5e-9, 1e-15);  // request, switch, and a hop
  EXPECT_NEAR(p.completion(), 40e-9 + 3 * 5e-9, 1e-15);           // done 1, next go 2
}

TEST(Cost, SlowestPartSetsTheSlope) {
  const Topology t = Topology::fully_connected(2);
  CostParameters p = parameters();
  const std::uint64_t mib = 1 << 20;
  const double lane = seconds(unicast(2 * mib), t, p) - seconds(unicast(mib), t, p);
  EXPECT_NEAR(lane, static_cast<double>(mib) / p.lane_rate, 2 * p.cycle);
  p.lane_rate = 1e12;
  const double beats = seconds(unicast(2 * mib), t, p) - seconds(unicast(mib), t, p);
  EXPECT_NEAR(beats, static_cast<double>(mib) / 32 * p.cycle, 2 * p.cycle);
}

TEST(Cost, LatenciesCountOncePerCrossing) {
  // Three nodes begin together. A unicast waits for its receiver's pulse and then crosses the link: twice the
  // latency.
  const Topology t = Topology::fully_connected(3);
  CostParameters p = parameters();
  const double before = seconds(unicast(4096), t, p);
  p.link_latency += 1e-6;
  EXPECT_NEAR(seconds(unicast(4096), t, p) - before, 2e-6, 3 * p.cycle);
  p = parameters();
  p.read_latency += 1e-6;
  p.write_latency += 2e-6;
  EXPECT_NEAR(seconds(unicast(4096), t, p) - before, 3e-6, 3 * p.cycle);
}

TEST(Cost, ScaleZeroLeavesStartUpOnly) {
  const Topology t = Topology::fully_connected(3);
  const CostParameters p = parameters();
  const double alpha = seconds(unicast(1 << 20), t, p, "direct", 0);
  EXPECT_NEAR(alpha, seconds(unicast(32), t, p), 2 * p.cycle);
  EXPECT_LT(alpha, 1e-6);
}

TEST(Cost, ChoicesAreQuickestFirst) {
  const Topology t = Topology::fully_connected(8);
  const NodeShape shape{8, 8, 2, 0};
  const Request big{.operation = Operation::broadcast, .sizes = {8 << 20}};
  const auto choices = rank_algorithms({big, t, shape}, parameters());
  ASSERT_EQ(choices.size(), algorithms({big, t, shape}).size());
  for (std::size_t i = 1; i < choices.size(); ++i) EXPECT_LE(choices[i - 1].seconds, choices[i].seconds);
  EXPECT_EQ(choices.back().algorithm, "direct") << "a whole vector over each lane of the root";
  for (const Choice& c : choices) {
    if (c.algorithm == "direct") {
      EXPECT_EQ(c.busiest_lane, 8u << 20);
      EXPECT_EQ(c.steps, 1u);
    } else {
      EXPECT_LE(c.busiest_lane, (8u << 20) / 4) << "an eighth to scatter, an eighth to gather";
    }
    EXPECT_LT(c.alpha, c.seconds);
  }
  const std::string table = explain(choices, parameters());
  EXPECT_LT(table.find(choices[0].algorithm), table.find(choices[1].algorithm));
  const Request small{.operation = Operation::broadcast, .sizes = {64}};
  EXPECT_EQ(rank_algorithms({small, t, shape}, parameters()).front().algorithm, "direct") << "one step";
}

TEST(Cost, CompiledBuffersLieInTheirHalves) {
  const Topology t = Topology::fully_connected(4);
  const Request r{.operation = Operation::all_to_all, .sizes = std::vector<std::uint64_t>(16, 100)};
  const Compiled p = compile("direct", {r, t, {4, 4, 1, 0}});
  EXPECT_EQ(p.half_bytes, 128u);  // a block of 100 bytes a channel
  for (int rank = 0; rank < 4; ++rank) {
    for (const Piece& piece : p.buffers.of(rank, kSend).pieces) EXPECT_LE(piece.base + 100, p.half_bytes);
    for (const Piece& piece : p.buffers.of(rank, kRecv).pieces) EXPECT_GE(piece.base, p.half_bytes);
  }
  EXPECT_EQ(compile("direct", {r, t, {4, 4, 1, 0, 4096, 1 << 16}}).half_bytes, 1u << 16) << "given";
}

TEST(Cost, BusFactorsOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(Operation::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::reduce_scatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::all_to_all, 2), 0.5);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::broadcast, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Operation::reduce, 8), 1);
}

}  // namespace
}  // namespace polyloom::collective
