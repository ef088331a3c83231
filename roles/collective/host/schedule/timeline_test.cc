// SPDX-License-Identifier: Apache-2.0
// Covers: cycles of one step by the rules of the role's README ("Order of events"), steps behind each other,
//   lanes slower than memory, late starts, what a buffer must hold.
// Leaves out: contention; agreement with the model (../../tests/test_time.py).
#include "roles/collective/host/schedule/timeline.h"

#include <gtest/gtest.h>

namespace polyloom::collective {
namespace {

constexpr double kRead = 24, kWrite = 8;

CostParameters link_parameters(double beats_per_cycle = 100) {
  CostParameters p;
  p.cycle = 1;  // so that all is in cycles
  p.link_latency = 30;
  p.lane_rate = 32 * beats_per_cycle;
  p.memory_rate = 32;
  p.read_latency = kRead;
  p.write_latency = kWrite;
  p.block_check = false;
  return p;
}

Step copy(std::uint32_t beats) {
  Stream s;
  s.bytes = std::uint64_t{beats} * 32;
  s.read = {0, 0, beats * 32, 1, 0};
  s.writes = {{0, {1, 0, beats * 32, 1, 0}}};
  Step step;
  step.streams = {s};
  step.together = {false, false, false};
  return step;
}
Stream crossing(int from, int to, std::uint32_t beats) {
  Stream s;
  s.bytes = std::uint64_t{beats} * 32;
  s.rank = from;
  s.read = {0, 0, beats * 32, 1, 0};
  s.hops = {{from, to, to, from}};
  s.writes = {{to, {1, 0, beats * 32, 1, 0}}};
  return s;
}
Step timed_step(std::vector<Stream> streams) {
  Step step;
  step.streams = std::move(streams);
  step.together = {false, false, false};
  return step;
}

TEST(Timeline, ACopyTakesTheCyclesOfTheReadme) {
  for (const std::uint32_t beats : {1u, 2u, 100u}) {
    Timeline t(3, link_parameters());
    t.add(copy(beats));
    // Instructions from cycle 1 on, one a cycle: read, write, go at 3. R# begins at 4, its request leaves at
    // 5; 24 later the memory's beat, 1 to the source: 30. The last beat is beats - 1 later; 1 through the
    // switch, 8 until the memory acknowledges, 1 to done.
    EXPECT_EQ(t.done(0), 3 + 1 + 1 + kRead + 1 + (beats - 1) + 1 + kWrite + 1);
    EXPECT_EQ(t.done(1), 0);
    EXPECT_EQ(t.latest_done(), t.done(0));
    EXPECT_EQ(t.earliest_done(), 0);
  }
}

TEST(Timeline, StepsFollowAtOnce) {
  Timeline t(3, link_parameters());
  t.add(copy(100));
  const double first = t.done(0);
  t.add(copy(1));
  EXPECT_EQ(t.done(0), first + 2 + (1 + 1 + kRead + 1 + 1 + kWrite + 1)) << "go two cycles after done";
  CostParameters slow = link_parameters();
  slow.step_cycles = 1000;
  Timeline u(3, slow);
  u.add(copy(100));
  EXPECT_EQ(u.done(0), first);
  u.add(copy(1));
  EXPECT_EQ(u.done(0), t.done(0) + 1000);
}

TEST(Timeline, ScaleShortensStreamsOnly) {
  Timeline t(3, link_parameters(), 0), u(3, link_parameters());
  t.add(copy(100));
  u.add(copy(1));
  EXPECT_EQ(t.done(0), u.done(0));
}

TEST(Timeline, ALaneOfHalfRateTakesTwoCyclesABeat) {
  double done[2];
  for (const std::uint32_t more : {0u, 1u}) {
    Timeline t(3, link_parameters(0.5));
    t.add(timed_step({crossing(0, 1, 100 + 50 * more)}));
    done[more] = t.done(1);
  }
  EXPECT_EQ(done[1] - done[0], 100);
  Timeline t(3, link_parameters(0.5));
  t.start(1, 500);  // its pulse comes so late
  t.add(timed_step({crossing(0, 1, 100)}));
  EXPECT_GE(t.done(1) - done[0], 499);
  EXPECT_LE(t.done(1) - done[0], 501);
}

TEST(Timeline, RendezvousWaitsForTheReceiverAndEagerDoesNot) {
  Stream s = crossing(0, 1, 4);
  const auto sender_done = [&](bool eager, double late) {
    s.eager = eager;
    Timeline t(3, link_parameters());
    t.start(1, late);
    t.add(timed_step({s}));
    return t.done(0);
  };
  EXPECT_EQ(sender_done(true, 900), sender_done(true, 0));
  EXPECT_EQ(sender_done(false, 900), sender_done(false, 0) + 900);
}

TEST(Timeline, ASecondEagerBlockWaitsForTheFirstsDraining) {
  Stream s = crossing(0, 1, 4);
  s.eager = true;
  Timeline t(3, link_parameters());
  t.start(1, 5000);
  t.add(timed_step({s}));
  EXPECT_LT(t.done(0), 100);
  t.add(timed_step({s}));
  EXPECT_GT(t.done(0), 5000);
}

TEST(Timeline, WhatComesEarlyWaitsInABuffer) {
  // Ranks 1 and 2 send 400 beats to a join at rank 0; rank 2 comes 64 cycles later. Half a beat a cycle: 32
  // beats of rank 1 wait.
  std::vector<Stream> streams{crossing(1, 0, 400), crossing(2, 0, 400)};
  for (unsigned i = 0; i < 2; ++i) {
    streams[i].writes.clear();
    streams[i].feeds = {{0, i}};
  }
  Stream out;
  out.bytes = 400 * 32;
  out.output = 0;
  out.writes = {{0, {1, 0, 400 * 32, 1, 0}}};
  streams.push_back(out);
  Step step = timed_step(streams);
  step.operators = {{0, 0, 0b11, {}}};
  for (const double late : {0.0, 64.0}) {
    Timeline t(3, link_parameters(0.5));
    t.start(2, 1000 + late);
    t.start(1, 1000);
    t.add(step);
    EXPECT_NEAR(t.most_held(), late / 2, 1);
  }
  Timeline never(3, link_parameters(0.5));
  never.start(2, 1e6);
  never.add(step);
  EXPECT_EQ(never.most_held(), 400) << "all of a block at most";
}

}  // namespace
}  // namespace polyloom::collective
