// SPDX-License-Identifier: Apache-2.0
// Covers: what each node is told of a stream (begin, relay, end, join), marks, signatures, operator words.
// Leaves out: whether the programs work (machine_test.cc, schedule_test.cc).
#include <gtest/gtest.h>

#include "roles/collective/host/schedule/pack.h"

namespace polyloom::collective {
namespace {

/// 96 bytes from channel 2 of rank 0 over its lane 5 to rank 1, on over lane 4 to rank 2, written by both.
Stream relayed() {
  Stream s;
  s.bytes = 96;
  s.rank = 0;
  s.read = {2, 640, 96, 1, 0};
  s.hops = {{0, 5, 1, 3}, {1, 4, 2, 6}};
  s.writes = {{1, {0, 0, 96, 1, 0}}, {2, {1, 32, 96, 1, 0}}};
  return s;
}
Schedule one(Stream s, std::vector<bool> together = {false, false, false, false}) {
  Step step;
  step.streams = {std::move(s)};
  step.together = std::move(together);
  Schedule schedule;
  schedule.steps = {step};
  return schedule;
}
std::vector<Op> ops(const std::vector<Instruction>& program) {
  std::vector<Op> all;
  for (const Instruction& i : program) all.push_back(i.op);
  return all;
}

TEST(Emit, EveryNodeOfATreeIsToldItsPart) {
  const auto p = programs(one(relayed()), 4);
  ASSERT_EQ(ops(p[0]), (std::vector<Op>{Op::read, Op::send, Op::go, Op::end}));
  EXPECT_EQ(p[0][0].index, 2);
  EXPECT_EQ(p[0][0].base, 640u);
  EXPECT_EQ(p[0][0].run_bytes, 96u);
  EXPECT_EQ(p[0][1].index, 5);
  EXPECT_EQ(p[0][1].source, kFromRead + 2);
  ASSERT_EQ(ops(p[1]), (std::vector<Op>{Op::take, Op::send, Op::write, Op::go, Op::end}));
  EXPECT_EQ(p[1][0].index, 3);
  EXPECT_EQ(p[1][1].index, 4);
  EXPECT_EQ(p[1][1].source, kFromLane + 3);
  EXPECT_EQ(p[1][2].source, kFromLane + 3);
  ASSERT_EQ(ops(p[2]), (std::vector<Op>{Op::take, Op::write, Op::go, Op::end}));
  EXPECT_EQ(p[2][1].index, 1);
  EXPECT_EQ(p[2][1].base, 32u);
  EXPECT_EQ(p[2][1].source, kFromLane + 6);
  EXPECT_EQ(ops(p[3]), (std::vector<Op>{Op::end})) << "no part in it";
}

TEST(Emit, BothEndsOfALaneSayTheSame) {
  Stream s = relayed();
  s.eager = true;
  const auto p = programs(one(s), 3, {1234, 0xff, true});
  EXPECT_EQ(p[0][1].extra, p[1][0].extra);
  EXPECT_EQ(p[1][1].extra, p[2][0].extra);
  EXPECT_EQ(p[0][1].flags, kEager);
  EXPECT_EQ(p[1][0].flags, kEager);
  // Another operation or length, another signature.
  EXPECT_NE(programs(one(s), 3, {1235, 0xff, true})[0][1].extra, p[0][1].extra);
  s.bytes = 64;
  EXPECT_NE(programs(one(s), 3, {1234, 0xff, true})[0][1].extra, p[0][1].extra);
}

TEST(Emit, APulseHasNoData) {
  Stream s;
  s.rank = 1;
  s.hops = {{1, 0, 2, 7}};
  const auto p = programs(one(s), 3);
  ASSERT_EQ(ops(p[1]), (std::vector<Op>{Op::send, Op::go, Op::end}));
  EXPECT_EQ(p[1][0].flags, kPulseOnly);
  EXPECT_EQ(p[1][0].source, kFromNone);
  ASSERT_EQ(ops(p[2]), (std::vector<Op>{Op::take, Op::go, Op::end}));
  EXPECT_EQ(p[2][0].flags, kPulseOnly);
}

TEST(Emit, AJoinAndWhatComesOutOfIt) {
  Stream in = relayed(), out;
  in.writes.clear();
  in.feeds = {{2, 1}};
  out.bytes = 96;
  out.rank = 2;
  out.output = 1;
  out.writes = {{2, {3, 0, 96, 1, 0}}};
  Step step;
  step.streams = {in, out};
  step.operators = {{2, 1, 0b10, {ReduceOp::max, DataType::int32, 1}}};
  step.together = {true, false, true};
  Schedule schedule;
  schedule.steps = {step};
  const auto p = programs(schedule, 3);
  ASSERT_EQ(ops(p[2]), (std::vector<Op>{Op::take, Op::feed, Op::write, Op::config, Op::go, Op::end}));
  EXPECT_EQ(p[2][1].index, 1);
  EXPECT_EQ(p[2][1].source, kFromLane + 6);
  EXPECT_EQ(p[2][2].source, kFromOperator + 1);
  EXPECT_EQ(p[2][3].index, 1);
  EXPECT_EQ(p[2][3].stride, 0b10);
  EXPECT_EQ(p[2][3].extra, static_cast<std::uint32_t>(OperatorKind::reduce));
  EXPECT_EQ(p[2][4].flags, kTogether);
  EXPECT_EQ(p[0].end()[-2].flags, kTogether);
  EXPECT_EQ(p[1].end()[-2].flags, 0);
}

TEST(Emit, MarksAreOnTheLastStepOfEachRank) {
  Schedule two = one(relayed());
  Stream s = relayed();
  s.hops.resize(1);
  s.writes.resize(1);
  two.steps.push_back(one(s).steps[0]);  // ranks 0 and 1 only
  const auto p = programs(two, 4, {0, 5, false});
  for (const std::size_t r : {0u, 1u}) {
    EXPECT_EQ(std::count_if(p[r].begin(), p[r].end(), [](const Instruction& i) { return i.op == Op::go; }),
              2);
  }
  for (const auto& program : p) {
    ASSERT_EQ(program.back().op, Op::go) << "no end was asked for";
    EXPECT_EQ(program.back().index, 5);
    for (std::size_t i = 0; i + 1 < program.size(); ++i) {
      if (program[i].op == Op::go) {
        EXPECT_EQ(program[i].index, 0xff);
      }
    }
  }
  EXPECT_EQ(p[3].size(), 1u) << "an empty step, for its time";
}

TEST(Emit, OperatorWords) {
  // blocks/operators/README.md: [7:0] function, [15:8] type, [63:32] factor or divisor of an average.
  EXPECT_EQ(operator_word({ReduceOp::sum, DataType::fp32, 1}), 0u);
  EXPECT_EQ(operator_word({ReduceOp::max, DataType::int32, 8}), 0x102u);
  EXPECT_EQ(operator_word({ReduceOp::average, DataType::int32, 3}), 0x0000000300000103u);
  EXPECT_EQ(operator_word({ReduceOp::average, DataType::fp32, 4}), 0x3e80000000000003u);  // 0.25
}

}  // namespace
}  // namespace polyloom::collective
