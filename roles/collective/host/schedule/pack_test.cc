// SPDX-License-Identifier: Apache-2.0
// Covers: what may share a step (engines, lanes, halves of channels, operator ports), which blocks stay
// eager, when pulses go before a join, patterns' halves and lengths. Leaves out: whole schedules
// (schedule_test.cc).
#include "roles/collective/host/schedule/pack.h"

#include <gtest/gtest.h>

#include "fabric/error.h"
#include "roles/collective/host/schedule/compile.h"

namespace polyloom::collective {
namespace {

constexpr std::uint64_t kHalf = 1 << 20;

struct Move {
  int from, to;
  unsigned read_channel, write_channel;
  std::uint64_t bytes = 4096;
  std::uint64_t read_base = 0, write_base = kHalf;
};

/// One phase of independent moves, each in buffers of its own.
Schedule packed(const std::vector<Move>& moves, const NodeShape& shape, const Topology& t) {
  Plan plan;
  Buffers b;
  const auto n = static_cast<std::size_t>(t.size());
  b.send.resize(n);
  b.recv.resize(n);
  b.scratch.resize(n);
  b.low.resize(n);
  plan.phases.resize(1);
  for (const Move& m : moves) {
    Layout& out = b.send[static_cast<std::size_t>(m.from)];
    Layout& in = b.recv[static_cast<std::size_t>(m.to)];
    Flow flow;
    flow.source = {m.from, kSend, out.bytes};
    flow.routes = {m.from == m.to ? Route{} : Route{{m.from, m.to}}};
    flow.writes = {{m.to, kRecv, in.bytes}};
    out.pieces.push_back({out.bytes, m.bytes, m.read_channel, m.read_base});
    in.pieces.push_back({in.bytes, m.bytes, m.write_channel, m.write_base});
    out.bytes += m.bytes;
    in.bytes += m.bytes;
    plan.phases[0].push_back({m.bytes, {flow}, {}});
  }
  return make_schedule(plan, b, t, shape);
}

std::size_t steps_of(const std::vector<Move>& moves, NodeShape shape = {4, 4, 1, 0, 4096, kHalf},
                     const Topology& t = Topology::fully_connected(3)) {
  return packed(moves, shape, t).steps.size();
}

TEST(Pack, EnginesAndLanesAreUsedOnceAStep) {
  EXPECT_EQ(steps_of({{0, 1, 0, 0}, {0, 2, 1, 0}}), 1u);
  EXPECT_EQ(steps_of({{0, 1, 0, 0}, {0, 2, 0, 0, 4096, 8192}}), 2u) << "one R#0";
  EXPECT_EQ(steps_of({{0, 1, 0, 0}, {2, 1, 0, 0, 4096, 0, kHalf + 8192}}), 2u) << "one W#0";
  EXPECT_EQ(steps_of({{0, 1, 0, 0}, {0, 1, 1, 1}}), 2u) << "one lane";
  EXPECT_EQ(
      steps_of({{0, 1, 0, 0}, {0, 1, 1, 1}}, {4, 4, 1, 0, 4096, kHalf}, Topology::fully_connected(3, 2)), 1u)
      << "two lanes";
  EXPECT_EQ(steps_of({{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 1}}), 1u) << "both directions, and a copy";
}

TEST(Pack, AStreamFromALaneIsNotWrittenWhereTheStepReads) {
  // Rank 1 sends from the half of channel 0 into which rank 0's block goes.
  const Move in{0, 1, 0, 0, 8192}, out{1, 2, 0, 0, 4096, kHalf + 65536};
  EXPECT_EQ(steps_of({in, out}), 2u);
  EXPECT_EQ(steps_of({out, in}), 2u);
  Move elsewhere = out;
  elsewhere.read_base = 65536;
  EXPECT_EQ(steps_of({in, elsewhere}), 1u) << "the other half";
  elsewhere.read_base = kHalf - 32;
  EXPECT_EQ(steps_of({in, elsewhere}), 2u) << "a bit of both";
  Move small = in;
  small.bytes = 1024;  // waits in a quarter of a receive buffer
  EXPECT_EQ(steps_of({small, out}), 1u);
  const Move copy{1, 1, 0, 0, 4096, 0, 65536};  // reads and writes the first half, and slows only itself
  EXPECT_EQ(steps_of({copy}), 1u);
}

TEST(Pack, LongestFirst) {
  const Schedule s = packed({{0, 1, 0, 0, 64}, {0, 2, 0, 0, 4096, 8192}}, {4, 4, 1, 0, 4096, kHalf},
                            Topology::fully_connected(3));
  ASSERT_EQ(s.steps.size(), 2u);
  EXPECT_EQ(s.steps[0].bytes, 4096u);
  EXPECT_EQ(s.steps[1].bytes, 64u);
  EXPECT_EQ(s.lane_bytes(Topology::fully_connected(3), 0, 0), 64u);    // lane 0 of rank 0 leads to 1
  EXPECT_EQ(s.lane_bytes(Topology::fully_connected(3), 0, 1), 4096u);  // lane 1 to 2
}

TEST(Pack, NoLaneIsSaid) {
  try {
    steps_of({{0, 3, 0, 0}}, {4, 4, 1, 0, 4096, kHalf}, Topology::hypercube(2, 2));
    FAIL() << "0 and 3 are no neighbours";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("no lane from rank 0 to rank 3"), std::string::npos) << e.what();
  }
}

/// Ranks 1..sources each send `bytes` to a join at rank 0, which writes what comes out.
Schedule joined(int sources, std::uint64_t bytes, bool response,
                NodeShape shape = {4, 4, 1, 0, 4096, kHalf}) {
  const Topology t = Topology::fully_connected(sources + 1);
  const auto n = static_cast<std::size_t>(t.size());
  Buffers b;
  const std::vector<std::uint64_t> sizes{bytes};
  b.send.assign(n, Layout::blocks(sizes, 4));
  const std::vector<std::uint64_t> second(4, kHalf);
  b.recv.assign(n, Layout::blocks(sizes, 4).moved(second));
  b.scratch.resize(n);
  b.low.resize(n);
  Work work{bytes, {}, {{0, {}}}};
  for (int r = 1; r <= sources; ++r) {
    Flow in;
    in.source = {r, kSend, 0};
    in.routes = {{{r, 0}}};
    in.feeds = {0};
    work.flows.push_back(in);
  }
  Flow out;
  out.join = 0;
  out.source = {0, kSend, 0};
  out.routes = {{}};
  out.writes = {{0, kRecv, 0}};
  if (response) {
    out.routes = {{{0, 1}}};
    out.writes.push_back({1, kRecv, 0});
  }
  work.flows.push_back(out);
  Plan plan;
  plan.phases = {{work}};
  return make_schedule(plan, b, t, shape);
}

TEST(Pack, PulsesGoBeforeAJoinWhoseSourcesWaitForDifferentNodes) {
  // Rank 1 begins when 0 and 1 are there, rank 2 when 0 and 2 are: a step of pulses between the three makes
  // both wait for all.
  const Schedule two = joined(2, 8192, false);
  ASSERT_EQ(two.steps.size(), 2u);
  EXPECT_EQ(two.steps[0].streams.size(), 4u);  // 0-1 and 0-2, both ways
  for (const Stream& s : two.steps[0].streams) EXPECT_EQ(s.bytes, 0u);
  EXPECT_EQ(two.steps[1].together, (std::vector<bool>{true, true, true}));
  EXPECT_EQ(two.steps[1].operators.at(0).inputs, 3u);  // inputs 0 and 1
  // What fits into a receive buffer waits there.
  EXPECT_EQ(joined(2, 4096, false).steps.size(), 1u);
  EXPECT_EQ(joined(2, 4128, false).steps.size(), 2u);
  // One source waits for none.
  EXPECT_EQ(joined(1, 8192, false).steps.size(), 1u);
}

TEST(Pack, AJoinThatDoesNotFitIsRefused) {
  EXPECT_THROW(joined(3, 64, false, {4, 2, 1, 0, 4096, kHalf}), UserError);
  EXPECT_THROW(joined(2, 64, false, {4, 4, 0, 0, 4096, kHalf}), UserError);
  EXPECT_NO_THROW(joined(3, 64, false, {4, 3, 1, 0, 4096, kHalf}));
}

TEST(Pack, JoinedStreamsAreNeverEager) {
  const NodeShape eager{4, 4, 1, 4096, 4096, kHalf};
  const Schedule join = joined(2, 64, true, eager);
  for (const Step& step : join.steps) {
    for (const Stream& s : step.streams) EXPECT_FALSE(s.eager);
  }
  const Schedule plain =
      packed({{0, 1, 0, 0, 4096}, {1, 2, 0, 1, 4100}}, eager, Topology::fully_connected(3));
  ASSERT_EQ(plain.steps.size(), 1u);
  ASSERT_EQ(plain.steps[0].streams.size(), 2u);
  EXPECT_FALSE(plain.steps[0].streams[0].eager);  // 4100 bytes take 129 beats
  EXPECT_TRUE(plain.steps[0].streams[1].eager);
}

Stream block(int from, int tx, bool eager, std::uint64_t bytes = 32) {
  Stream s;
  s.bytes = bytes;
  s.rank = from;
  s.hops = {{from, tx, 9, 0}};
  s.eager = eager;
  return s;
}
Step step_of(std::vector<Stream> streams) {
  Step step;
  step.streams = std::move(streams);
  return step;
}

TEST(SettleEager, NotBehindARendezvousBlockOfTheSameLane) {
  Schedule s;
  s.steps = {step_of({block(0, 0, true)}), step_of({block(0, 0, true), block(0, 1, false)}),
             step_of({block(0, 0, true), block(0, 1, true), block(1, 1, true)}),
             step_of({block(0, 1, true), block(0, 0, false, 0)}), step_of({block(0, 0, true)})};
  Undrained lanes;
  settle_eager(s, lanes);
  EXPECT_TRUE(s.steps[0].streams[0].eager);
  EXPECT_TRUE(s.steps[1].streams[0].eager) << "eager blocks wait for each other's draining";
  EXPECT_TRUE(s.steps[2].streams[0].eager);
  EXPECT_FALSE(s.steps[2].streams[1].eager) << "behind a rendezvous block";
  EXPECT_TRUE(s.steps[2].streams[2].eager) << "the same lane number of another rank";
  EXPECT_FALSE(s.steps[3].streams[0].eager) << "still: the block before became rendezvous";
  EXPECT_TRUE(s.steps[4].streams[0].eager) << "a pulse only leaves nothing to drain";
  EXPECT_EQ(lanes, (Undrained{{0, 1}}));
}

TEST(SettleEager, LanesAreRememberedFromOneScheduleToTheNext) {
  Schedule first, second;
  first.steps = {step_of({block(2, 3, false)})};
  second.steps = {step_of({block(2, 3, true), block(2, 4, true)})};
  Undrained lanes;
  settle_eager(first, lanes);
  settle_eager(second, lanes);
  EXPECT_FALSE(second.steps[0].streams[0].eager);
  EXPECT_TRUE(second.steps[0].streams[1].eager);
}

TEST(Pattern, HalvesAndBeats) {
  EXPECT_EQ((Pattern{0, 0, 64, 1, 0}.halves(64)), 1u);
  EXPECT_EQ((Pattern{0, 64, 1, 1, 0}.halves(64)), 2u);
  EXPECT_EQ((Pattern{0, 32, 33, 1, 0}.halves(64)), 3u);
  EXPECT_EQ((Pattern{0, 96, 32, 2, -96}.halves(64)), 3u) << "runs go down";
  EXPECT_EQ((Pattern{0, 0, 32, 3, 32}.halves(64)), 3u) << "the third run begins at 64";
  Stream s;
  s.bytes = 99;
  s.read = {0, 0, 33, 3, 64};
  EXPECT_EQ(s.beat_bytes(), 192u) << "three runs of two beats";
}

}  // namespace
}  // namespace polyloom::collective
