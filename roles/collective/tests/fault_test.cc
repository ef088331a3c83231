// SPDX-License-Identifier: Apache-2.0
// Covers: every fault code provoked, what the event says, that all nodes stop with a cause, that clear makes
// them useful again, bad programs one by one, damaged links. Leaves out: the frames of the host
// (node_test.cc).
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "roles/collective/tests/bench.h"

namespace polyloom::collective {
namespace {

using namespace test;
using State = Engine::State;

BenchOptions pair_options(bool check = true) {
  BenchOptions o{.params = small_params(), .links = {{0, 1}, {1, 2}, {0, 2}}, .nodes = 3};
  o.params.block_check = check;
  return o;
}

const Pattern kSome{0, 1024, 1, 0};

std::vector<Instruction> sender(unsigned lane, unsigned bytes, unsigned flags = 0,
                                std::uint32_t signature = 7) {
  return {read(0, {0, bytes, 1, 0}), send(lane, kFromRead, flags, signature), go(), end()};
}
std::vector<Instruction> receiver(unsigned lane, unsigned bytes, unsigned flags = 0,
                                  std::uint32_t signature = 7, unsigned write_flags = 0) {
  return {take(lane, flags, signature), write(0, {32768, bytes, 1, 0}, kFromLane + lane, write_flags), go(),
          end()};
}

struct Expected {
  Fault code;
  unsigned lane = 0xff;
};

/// Both nodes run; node 1 must find `expected`; the others stop because of it. Then all work again.
void provoke(const BenchOptions& o, const std::vector<Instruction>& first,
             const std::vector<Instruction>& second, Expected expected, std::uint64_t watchdog = 0) {
  Bench b(o);
  std::vector<std::pair<int, ProgramEnd>> ends;
  for (int n = 0; n < 3; ++n) {
    b.engine(n).node = static_cast<std::uint16_t>(n);
    b.engine(n).listen([&ends, n](const ProgramEnd& e) { ends.emplace_back(n, e); });
    b.engine(n).watchdog = watchdog;
  }
  b.start(0, first);
  b.start(1, second);
  b.run();
  int found = 0;
  for (const auto& [n, e] : ends) {
    if (e.code == 0) continue;
    if (n == 1 && e.code == static_cast<std::uint8_t>(expected.code)) {
      ++found;
      EXPECT_EQ(e.lane, expected.lane);
    } else {
      EXPECT_EQ(e.code, static_cast<std::uint8_t>(Fault::aborted)) << "node " << n;
      EXPECT_EQ(e.value & 0xff, static_cast<std::uint64_t>(LaneControl::abort));
      EXPECT_EQ(e.value >> 8 & 0xff, static_cast<std::uint64_t>(expected.code));
    }
  }
  EXPECT_EQ(found, 1) << b.node(0).waiting_for() << "\n" << b.node(1).waiting_for();
  for (int n = 0; n < 3; ++n) EXPECT_EQ(b.engine(n).state(), State::stopped) << n;
  for (int n = 0; n < 3; ++n) EXPECT_TRUE(b.engine(n).clear());
  for (unsigned i = 0; i < 1024; ++i) b.bytes(0, 0)[i] = static_cast<std::uint8_t>(i * 7 + 1);
  b.start(0, sender(0, 1024));
  b.start(1, receiver(0, 1024));
  b.run();
  EXPECT_TRUE(b.idle()) << b.node(0).waiting_for() << "\n" << b.node(1).waiting_for();
  EXPECT_EQ(std::memcmp(b.bytes(0, 0), b.bytes(1, 0) + 32768, 1024), 0);
}

TEST(Faults, Signature) {
  provoke(pair_options(), sender(0, 64), receiver(0, 64, 0, 8), {Fault::signature, 0});
}
TEST(Faults, SignatureOfAnEagerBlock) {
  provoke(pair_options(), sender(0, 64, kEager, 9), receiver(0, 64, kEager), {Fault::signature, 0});
}
TEST(Faults, LengthShort) { provoke(pair_options(), sender(0, 64), receiver(0, 96), {Fault::length}); }
TEST(Faults, LengthLong) { provoke(pair_options(), sender(0, 4096), receiver(0, 96), {Fault::length}); }
TEST(Faults, LengthWithoutChecks) {
  provoke(pair_options(false), sender(0, 64), receiver(0, 96), {Fault::length});
}
TEST(Faults, LengthLongerThanAnOpenEnd) {
  provoke(pair_options(), sender(0, 128), receiver(0, 96, 0, 7, kOpenEnd), {Fault::length});
}
TEST(Faults, Overflow) {
  // Eager, but more than the buffer holds, and it is not accepted.
  provoke(pair_options(), sender(0, 129 * 32, kEager),
          {read(1, {0, 32768, 1, 0}), write(1, {32768, 32768, 1, 0}, kFromRead + 1), go(), end()},
          {Fault::overflow, 0});
}
TEST(Faults, UnexpectedEarlyData) {
  // The sender thinks that the block is eager, the receiver comes later and does not.
  const std::vector<Instruction> late = {read(1, {0, 16384, 1, 0}),
                                         write(1, {32768, 16384, 1, 0}, kFromRead + 1),
                                         go(),
                                         take(0),
                                         write(0, {32768, 64, 1, 0}, kFromLane),
                                         go(),
                                         end()};
  provoke(pair_options(), sender(0, 64, kEager), late, {Fault::unexpected, 0});
}
TEST(Faults, TimeoutNamesTheLanes) {
  Bench b(pair_options());
  std::vector<ProgramEnd> ends;
  b.engine(1).listen([&](const ProgramEnd& e) { ends.push_back(e); });
  b.engine(1).watchdog = 500;
  auto program = receiver(0, 64);  // from node 0, which never sends
  program.insert(program.begin(), {read(1, kSome), send(1, kFromRead + 1)});  // to node 2, which never takes
  b.start(1, program);
  b.run();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].code, static_cast<std::uint8_t>(Fault::timeout));
  EXPECT_EQ(ends[0].value, 0x00000001'00000002u);
  EXPECT_EQ(ends[0].instruction, 4u);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(b.engine(n).state(), State::stopped);
}

TEST(Faults, WaitingIsSaidInWords) {
  Bench b(pair_options());
  b.start(1, receiver(0, 64));
  b.run();
  EXPECT_NE(b.node(1).waiting_for().find("take on lane 0 has no data"), std::string::npos)
      << b.node(1).waiting_for();
  b.start(0, {read(0, kSome), send(1, kFromRead), go(), end()});
  const auto result = b.run();
  EXPECT_NE(b.node(0).waiting_for().find("send on lane 1 has no pulse"), std::string::npos);
  EXPECT_EQ(result.stuck.size(), 2u);
}

TEST(Faults, OpenEndTakesWhatComes) {
  Bench b(pair_options());
  for (unsigned i = 0; i < 100; ++i) b.bytes(0, 0)[i] = static_cast<std::uint8_t>(i + 1);
  b.start(0, sender(0, 70));
  b.start(1, receiver(0, 4096, 0, 7, kOpenEnd));
  b.run();
  ASSERT_TRUE(b.idle());
  EXPECT_EQ(std::memcmp(b.bytes(0, 0), b.bytes(1, 0) + 32768, 70), 0);
  EXPECT_EQ(b.bytes(1, 0)[32768 + 70], 0);
}

TEST(Faults, BadProgramsAreRefused) {
  const auto odd = [](std::uint64_t base, std::int64_t stride, std::uint32_t run, std::uint32_t runs) {
    return read(0, {base, run, runs, stride});
  };
  const Instruction into = write(0, {32768, 1024, 1, 0}, kFromRead);
  Instruction nonsense;
  nonsense.op = static_cast<Op>(9);
  Instruction flagged = read(0, kSome);
  flagged.flags = 1;
  const std::vector<std::pair<const char*, std::vector<Instruction>>> programs = {
      {"no such channel", {read(2, kSome), write(0, kSome, kFromRead + 2), go(), end()}},
      {"unaligned base", {odd(1, 0, 32, 1), into, go(), end()}},
      {"unaligned stride", {odd(0, 40, 32, 2), into, go(), end()}},
      {"no runs", {odd(0, 0, 32, 0), into, go(), end()}},
      {"empty runs", {odd(0, 0, 0, 1), into, go(), end()}},
      {"past the end", {odd(65504, 0, 33, 1), into, go(), end()}},
      {"before the start", {odd(64, -64, 32, 3), into, go(), end()}},
      {"far past the end", {odd(0, std::int64_t{1} << 62, 32, 4), into, go(), end()}},
      {"a read with flags", {flagged, into, go(), end()}},
      {"twice the same engine", {read(0, kSome), read(0, kSome), into, go(), end()}},
      {"no such lane", {take(2), write(0, kSome, kFromLane + 2), go(), end()}},
      {"eager and pulse only", {send(0, kFromNone, kEager | kPulseOnly), go(), end()}},
      {"a source that is not read", {write(0, kSome, kFromRead + 1), go(), end()}},
      {"a lane without take", {write(0, kSome, kFromLane), go(), end()}},
      {"nothing takes what is read", {read(0, kSome), go(), end()}},
      {"nothing takes the lane", {take(0), go(), end()}},
      {"no source", {send(0, kFromNone), go(), end()}},
      {"no such mark", {read(0, kSome), into, go(32), end()}},
      {"no such operation", {nonsense, end()}},
  };
  for (const auto& [what, program] : programs) {
    Bench b(pair_options());
    ProgramEnd last;
    b.engine(0).listen([&](const ProgramEnd& e) { last = e; });
    b.start(0, program);
    b.run();
    EXPECT_EQ(last.code, static_cast<std::uint8_t>(Fault::bad_program)) << what;
    EXPECT_EQ(b.engine(0).state(), State::stopped) << what;
    EXPECT_EQ(b.engine(2).state(), State::stopped) << what;
  }
  // Off the end of the program memory.
  Bench b(pair_options());
  b.start(0, {go()}, 0, 1023);
  b.run();
  EXPECT_EQ(b.engine(0).state(), State::stopped);
  EXPECT_FALSE(b.engine(0).start(1000, 0)) << "a stopped node starts nothing";
}

// W# of channel 0 leaves its channel at the second beat; W# of channel 1 must not get what stopped the node.
TEST(Faults, AWriteThatLeavesItsChannelEndsTheCopy) {
  Bench b(pair_options());
  ProgramEnd last;
  b.engine(0).listen([&](const ProgramEnd& e) { last = e; });
  std::memset(b.bytes(0, 0), 0x5a, 1024);
  b.start(
      0, {read(0, kSome), write(0, {65504, 1024, 1, 0}, kFromRead), write(1, kSome, kFromRead), go(), end()});
  b.run();
  EXPECT_EQ(last.code, static_cast<std::uint8_t>(Fault::bad_program));
  EXPECT_EQ(last.value, 65536u);
  EXPECT_EQ(b.bytes(0, 1)[31], 0x5a);
  EXPECT_EQ(b.bytes(0, 1)[32], 0);
}

// Bits that flip on the wire: with checks, a named fault and never wrong bytes under a good end.
TEST(Faults, DamagedLinksNeverPassUnseen) {
  unsigned stopped = 0, finished = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    BenchOptions o = pair_options();
    o.link.bit_error_rate = 2e-5;
    o.link.seed = seed;
    Bench b(o);
    for (unsigned i = 0; i < 4096; ++i) b.bytes(0, 0)[i] = static_cast<std::uint8_t>(i * seed);
    b.engine(0).watchdog = b.engine(1).watchdog = 5000;
    b.start(0, sender(0, 4096));
    b.start(1, receiver(0, 4096));
    b.run();
    ASSERT_NE(b.engine(1).state(), State::running)
        << "seed " << seed << " hangs: " << b.node(1).waiting_for();
    if (b.engine(1).state() == State::idle) {
      ++finished;
      EXPECT_EQ(std::memcmp(b.bytes(0, 0), b.bytes(1, 0) + 32768, 4096), 0) << "seed " << seed;
    } else {
      ++stopped;
    }
  }
  EXPECT_GT(stopped, 10u);
  EXPECT_GT(finished, 10u);
}

TEST(Faults, HelloTellsWhoIsThere) {
  Bench b(pair_options());
  for (int n = 0; n < 3; ++n) {
    b.engine(n).node = static_cast<std::uint16_t>(100 + n);
    b.engine(n).hello(0);
  }
  b.run();
  EXPECT_EQ(b.engine(0).peer(0), 0x80000000u | 101 << 8 | 0);
  EXPECT_EQ(b.engine(0).peer(1), 0x80000000u | 102 << 8 | 1);
  EXPECT_EQ(b.engine(2).peer(0), 0x80000000u | 101 << 8 | 1);
}

}  // namespace
}  // namespace polyloom::collective
