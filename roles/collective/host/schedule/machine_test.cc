// SPDX-License-Identifier: Apache-2.0
// Covers: what instructions do to bytes, every misuse that program.h forbids, elements of reductions, blocks
// left behind. Leaves out: schedules (schedule_test.cc).
#include "roles/collective/host/schedule/machine.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "roles/collective/host/schedule/pack.h"

namespace polyloom::collective {
namespace {

using Program = std::vector<Instruction>;

Instruction pattern(Op op, unsigned channel, std::uint8_t source, std::uint64_t base, std::uint32_t run_bytes,
                    std::uint32_t runs = 1, std::int64_t stride = 0) {
  return {op, static_cast<std::uint8_t>(channel), source, 0, run_bytes, base, stride, runs, 0};
}
Instruction read(unsigned channel, std::uint64_t base, std::uint32_t bytes, std::uint32_t runs = 1,
                 std::int64_t stride = 0) {
  return pattern(Op::read, channel, kFromNone, base, bytes, runs, stride);
}
Instruction write(unsigned channel, std::uint8_t source, std::uint64_t base, std::uint32_t bytes,
                  std::uint32_t runs = 1, std::int64_t stride = 0) {
  return pattern(Op::write, channel, source, base, bytes, runs, stride);
}
Instruction at_lane(Op op, unsigned lane, std::uint8_t source = kFromNone, std::uint8_t flags = 0,
                    std::uint32_t extra = 0) {
  return {op, static_cast<std::uint8_t>(lane), source, flags, 0, 0, 0, 0, extra};
}
Instruction config(unsigned output, std::uint64_t word, std::int64_t mask,
                   OperatorKind kind = OperatorKind::reduce) {
  return {Op::config, static_cast<std::uint8_t>(output), kFromNone, 0, 0, word, mask,
          0,          static_cast<std::uint32_t>(kind)};
}
const Instruction go{.op = Op::go, .index = 0xff}, end{};

class MachineTest : public testing::Test {
 protected:
  MachineTest() : machine(Topology::fully_connected(2), 2, 3, 1, 1 << 16) {
    for (std::size_t i = 0; i < 4096; ++i)
      machine.channel(0, 0)[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  }
  void run(Program zero, Program one = {end}) {
    machine.load(0, std::move(zero));
    machine.load(1, std::move(one));
    machine.run();
  }
  /// The message of the error that a step of rank 0 ends with.
  std::string refused(Program zero, Program one = {end}) {
    zero.insert(zero.end(), {go, end});
    try {
      run(std::move(zero), std::move(one));
    } catch (const ProgramError& e) {
      machine.clear();
      return e.what();
    }
    return "";
  }
  std::uint8_t original(std::size_t i) const { return static_cast<std::uint8_t>(i * 7 + i / 256); }

  Machine machine;
};

TEST_F(MachineTest, RunsAreGatheredAndScattered) {
  // Runs of 40 bytes take two beats on the way, of which the second has 8 bytes.
  run({read(0, 0, 40, 3, 256), write(1, kFromRead, 1024, 40, 3, 64), go, end});
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t i = 0; i < 40; ++i) {
      ASSERT_EQ(machine.channel(0, 1)[1024 + 64 * r + i], original(256 * r + i));
    }
    for (std::size_t i = 40; i < 64; ++i) ASSERT_EQ(machine.channel(0, 1)[1024 + 64 * r + i], 0);
  }
}

TEST_F(MachineTest, ABlockIsCopiedToAllItsSinks) {
  run({read(0, 0, 96), at_lane(Op::send, 0, kFromRead), write(1, kFromRead, 0, 96), go, end},
      {at_lane(Op::take, 0), write(0, kFromLane, 512, 96), write(1, kFromLane, 0, 96), go, end});
  for (std::size_t i = 0; i < 96; ++i) {
    ASSERT_EQ(machine.channel(0, 1)[i], original(i));
    ASSERT_EQ(machine.channel(1, 0)[512 + i], original(i));
    ASSERT_EQ(machine.channel(1, 1)[i], original(i));
  }
  EXPECT_TRUE(machine.quiet());
}

TEST_F(MachineTest, MisuseIsRefused) {
  const Instruction r = read(0, 0, 64), w = write(1, kFromRead, 0, 64);
  EXPECT_NE(refused({r, r, w}).find("used twice"), std::string::npos);
  EXPECT_NE(refused({read(2, 0, 64), write(1, 2, 0, 64)}).find("index 2 of 2"), std::string::npos);
  EXPECT_NE(refused({r, at_lane(Op::send, 1, kFromRead)}).find("index 1 of 1"), std::string::npos);
  EXPECT_NE(refused({r}).find("a source that no sink takes"), std::string::npos);
  EXPECT_NE(refused({w}).find("stands still"), std::string::npos);
  EXPECT_NE(refused({r, write(1, kFromRead, 0, 32)}).find("longer than the pattern"), std::string::npos);
  EXPECT_NE(refused({r, write(1, kFromRead, 0, 96)}).find("not what the pattern has"), std::string::npos);
  EXPECT_NE(refused({read(0, 0, 40), w}).find("not what the pattern has"), std::string::npos)
      << "half a beat";
  EXPECT_NE(refused({read(0, 8, 64), w}).find("does not begin at a beat"), std::string::npos);
  EXPECT_NE(refused({read(0, (1 << 16) - 32, 64), w}).find("read beyond"), std::string::npos);
  EXPECT_NE(refused({r, write(1, kFromRead, (1 << 16) - 32, 64)}).find("write beyond"), std::string::npos);
  EXPECT_NE(refused({r, at_lane(Op::feed, 2, kFromRead), config(0, 0, 1), write(1, kFromOperator, 0, 64)})
                .find("no output takes"),
            std::string::npos);
  EXPECT_NE(refused({r, at_lane(Op::feed, 0, kFromRead), config(0, 0, 1, OperatorKind::pass),
                     write(1, kFromOperator, 0, 64)})
                .find("only reduce"),
            std::string::npos);
  machine.load(0, {r, w});
  EXPECT_THROW(machine.run(), ProgramError) << "no go";
}

TEST_F(MachineTest, EndsOfALaneMustAgree) {
  const Program sends{read(0, 0, 64), at_lane(Op::send, 0, kFromRead, 0, 11)};
  EXPECT_NE(refused(sends, {at_lane(Op::take, 0, kFromNone, 0, 12), write(0, kFromLane, 0, 64), go, end})
                .find("another operation"),
            std::string::npos);
  EXPECT_EQ(refused(sends, {at_lane(Op::take, 0, kFromNone, 0, 11), write(0, kFromLane, 0, 64), go, end}),
            "");
  EXPECT_NE(refused(sends).find("rank 0 waits for rank 1 to take a block"), std::string::npos);
  EXPECT_NE(
      refused({at_lane(Op::take, 0), write(0, kFromLane, 0, 64)}).find("rank 0 waits for data of rank 1"),
      std::string::npos);
}

TEST_F(MachineTest, EagerBlocksNeedTheBuffer) {
  const Instruction eager = at_lane(Op::send, 0, kFromRead, kEager);
  // It is not accepted: it waits in the buffer, and the sender goes on.
  run({read(0, 0, 64), eager, go, end});
  EXPECT_FALSE(machine.quiet());
  EXPECT_NE(refused({read(0, 0, 64), eager}).find("waits for rank 1"), std::string::npos) << "not drained";
  EXPECT_TRUE(machine.quiet()) << "cleared";
  run({read(0, 0, 64), eager, go, read(0, 64, 64), eager, go, end},
      {at_lane(Op::take, 0, kFromNone, kEager), write(0, kFromLane, 0, 64), go,
       at_lane(Op::take, 0, kFromNone, kEager), write(0, kFromLane, 64, 64), go, end});
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(machine.channel(1, 0)[i], original(i));
  EXPECT_TRUE(machine.quiet());
}

TEST_F(MachineTest, AnOperatorJoinsElementByElement) {
  const std::int32_t a[4] = {1, -5, 7, 2147483647}, b[4] = {-3, 9, 7, 1};
  std::copy_n(reinterpret_cast<const std::uint8_t*>(a), 16, machine.channel(0, 0).data());
  std::copy_n(reinterpret_cast<const std::uint8_t*>(b), 16, machine.channel(1, 0).data());
  run({read(0, 0, 16), at_lane(Op::feed, 0, kFromRead), at_lane(Op::take, 0), at_lane(Op::feed, 2, kFromLane),
       config(0, operator_word({ReduceOp::sum, DataType::int32, 1}), 0b101), write(1, kFromOperator, 0, 16),
       go, end},
      {read(0, 0, 16), at_lane(Op::send, 0, kFromRead), go, end});
  std::int32_t sum[4];
  std::copy_n(machine.channel(0, 1).data(), 16, reinterpret_cast<std::uint8_t*>(sum));
  EXPECT_EQ(sum[0], -2);
  EXPECT_EQ(sum[1], 4);
  EXPECT_EQ(sum[2], 14);
  EXPECT_EQ(sum[3], std::numeric_limits<std::int32_t>::min()) << "wraps";
}

using Inputs = std::vector<std::optional<std::uint32_t>>;
std::uint32_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }
float combined(const Inputs& inputs, ReduceOp op, unsigned divisor = 1) {
  return std::bit_cast<float>(combine_words(inputs, operator_word({op, DataType::fp32, divisor})));
}
std::int32_t combined_int(const std::vector<std::int32_t>& values, ReduceOp op, unsigned divisor = 1) {
  Inputs inputs;
  for (const std::int32_t v : values) inputs.emplace_back(static_cast<std::uint32_t>(v));
  return static_cast<std::int32_t>(combine_words(inputs, operator_word({op, DataType::int32, divisor})));
}

TEST(CombineWords, SumsAreABalancedTreeOverInputNumbers) {
  const float big = 16777216;  // 2^24: adding 1 is lost
  // (big + 1) + (1 + 1) rounds to big + 2; one after the other would be big.
  EXPECT_EQ(combined({bits(big), bits(1), bits(1), bits(1)}, ReduceOp::sum), big + 2);
  // Without input 1 its partner passes unchanged; 2 and 3 still meet first.
  EXPECT_EQ(combined({bits(big), std::nullopt, bits(1), bits(1)}, ReduceOp::sum), big + 2);
  EXPECT_EQ(combined({bits(big), bits(1), bits(1)}, ReduceOp::sum), big) << "(big + 1) + 1";
  EXPECT_EQ(combined({bits(3), bits(4), bits(6)}, ReduceOp::average, 4), 13 * 0.25f);
}

TEST(CombineWords, ExtremesOfSpecialNumbers) {
  const std::uint32_t nan = bits(std::nanf(""));
  EXPECT_EQ(combined({nan, bits(-1)}, ReduceOp::max), -1) << "a NaN loses";
  EXPECT_TRUE(std::isnan(combined({nan, nan}, ReduceOp::min)));
  EXPECT_TRUE(std::signbit(combined({bits(0.0f), bits(-0.0f)}, ReduceOp::min)));
  EXPECT_FALSE(std::signbit(combined({bits(-0.0f), bits(0.0f)}, ReduceOp::max)));
  EXPECT_EQ(combined({bits(2), bits(-INFINITY)}, ReduceOp::min), -INFINITY);
  EXPECT_TRUE(std::isnan(combined({bits(INFINITY), bits(-INFINITY)}, ReduceOp::sum)));
}

TEST(CombineWords, IntegersAreExactUntilTheEnd) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(combined_int({most, most, most, most}, ReduceOp::average, 4), most) << "the sum does not wrap";
  EXPECT_EQ(combined_int({-7, 0}, ReduceOp::average, 2), -3) << "toward zero";
  EXPECT_EQ(combined_int({-7, 3, most}, ReduceOp::min), -7);
  EXPECT_EQ(combined_int({-7, 3, most}, ReduceOp::max), most);
}

}  // namespace
}  // namespace polyloom::collective
