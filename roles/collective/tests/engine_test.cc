// SPDX-License-Identifier: Apache-2.0
// Covers: one node copying patterns of every shape against a byte loop; unicast between two nodes in closed
// form, to the cycle, over latencies, rates, lengths, checks, both protocols and unequal starts; barrier.
// Leaves out: many nodes and random programs (random_test.cc), faults (fault_test.cc).
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "roles/collective/tests/bench.h"

namespace polyloom::collective {
namespace {

using namespace test;

void fill(std::uint8_t* bytes, std::size_t n, unsigned seed) {
  std::mt19937 rng(seed);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::uint8_t>(rng());
}

/// Bytes of a pattern in the order in which they travel.
std::vector<std::uint64_t> places(const Pattern& p) {
  std::vector<std::uint64_t> out;
  for (std::uint32_t r = 0; r < p.runs; ++r) {
    for (std::uint32_t i = 0; i < p.run_bytes; ++i) {
      out.push_back(p.base + static_cast<std::uint64_t>(p.stride) * r + i);
    }
  }
  return out;
}

TEST(Engine, CopiesEveryShapeOfPattern) {
  const struct {
    Pattern from, to;
  } cases[] = {
      {{0, 32, 1, 0}, {32768, 32, 1, 0}},
      {{0, 1, 1, 0}, {64, 1, 1, 0}},
      {{96, 4096, 1, 0}, {40000 / 32 * 32, 4096, 1, 0}},
      {{0, 64, 20, 128}, {32768, 1280, 1, 0}},     // gather
      {{0, 1280, 1, 0}, {32768, 64, 20, 96}},      // scatter
      {{4096, 32, 50, -64}, {32768, 32, 50, 32}},  // backwards
      {{0, 40, 9, 64}, {32768, 40, 9, 96}},        // runs that end within a beat
      {{0, 40, 9, 64}, {32768, 40, 9, 64}},        // and with them the bytes between untouched
      {{0, 96, 8, 0}, {32768, 96, 8, 96}},         // the same run again and again
      {{0, 7, 3, 32}, {32768, 7, 3, -32 + 64}},
      {{0, 8192, 4, 8192}, {32768, 8192, 4, 8192}},  // a whole half
  };
  unsigned seed = 1;
  for (const auto& c : cases) {
    for (const unsigned target : {0u, 1u}) {  // the same channel and another
      Bench b({.params = small_params(), .links = {}, .nodes = 1});
      for (const unsigned channel : {0u, 1u}) fill(b.bytes(0, channel), 1 << 16, seed++);
      std::vector<std::uint8_t> expected(b.bytes(0, target), b.bytes(0, target) + (1 << 16));
      const auto from = places(c.from), to = places(c.to);
      ASSERT_EQ(from.size(), to.size());
      const std::vector<std::uint8_t> before(b.bytes(0, 0), b.bytes(0, 0) + (1 << 16));
      for (std::size_t i = 0; i < from.size(); ++i) expected[to[i]] = before[from[i]];
      b.start(0, {read(0, c.from), write(target, c.to, kFromRead), go(), end()});
      b.run();
      ASSERT_TRUE(b.idle()) << b.node(0).waiting_for();
      EXPECT_EQ(std::memcmp(b.bytes(0, target), expected.data(), 1 << 16), 0)
          << c.from.base << "+" << c.from.run_bytes << "x" << c.from.runs << " to " << target;
    }
  }
}

// A copy of n beats: go, begin, request, latency, source, n - 1 more, switch, write, acknowledgement.
TEST(Engine, CopyTakesTheStatedCycles) {
  for (const unsigned beats : {1u, 2u, 31u, 100u}) {
    for (const unsigned latency : {1u, 36u, 90u}) {
      CollectiveParams p = small_params();
      p.channel.read_latency = latency;
      p.channel.write_latency = 9;
      p.command_cycles = 13;
      Bench b({.params = p, .links = {}, .nodes = 1});
      const Pattern from{0, 32 * beats, 1, 0}, to{32768, 32 * beats, 1, 0};
      b.start(0, {read(0, from), write(0, to, kFromRead), go(5), end()}, 100);
      b.run();
      const Cycle go_edge = 100 + 1 + 13 + 2;
      const Cycle taken = go_edge + 1 + 1 + latency + 1 + (beats - 1);
      const Cycle done = taken + 1 + 9 + 1;
      EXPECT_EQ(b.engine(0).mark(5), done);
      EXPECT_EQ(b.engine(0).finish(), done + 2);
      EXPECT_EQ(b.engine(0).begin(), 100u);
    }
  }
}

// A stream read and one written in the same half take turns.
TEST(Engine, StreamsOfOneHalfShareIt) {
  const auto cycles = [](std::uint64_t to) {
    Bench b({.params = small_params(), .links = {}, .nodes = 1});
    const unsigned bytes = 32 * 400;
    b.start(0, {read(0, {0, bytes, 1, 0}), write(0, {to, bytes, 1, 0}, kFromRead), go(), end()});
    b.run();
    return b.engine(0).finish();
  };
  const auto apart = cycles(32768), shared = cycles(16384);
  EXPECT_GT(shared, apart + 300);
  EXPECT_LE(shared, apart + 400);
}

struct Shape {
  fabric::Time latency, period;
  unsigned beats, tail;  ///< bytes of the last beat
  bool check, eager;
  unsigned sender_late, receiver_late;
};

Cycle edge_from(fabric::Time t) { return static_cast<Cycle>((t + 4999) / 5000); }
fabric::Time time_of(Cycle k) { return static_cast<fabric::Time>(k) * 5000; }

/// From README.md, "Order of events", and timing.h: cycles in which the two nodes end.
std::pair<Cycle, Cycle> closed_form(const Shape& s, const CollectiveParams& p) {
  const Cycle send_go = s.sender_late + 1 + 2, take_go = s.receiver_late + 1 + 2;
  Cycle begin = send_go + 1;
  if (!s.eager) begin = std::max(begin, edge_from(time_of(take_go + 1) + s.latency) + 1);
  const Cycle first = begin + 1 + p.channel.read_latency + 1;  // at the source
  fabric::Time wire = 0;
  fabric::Time signature = 0;
  if (s.check) {
    signature = time_of(begin + 1);
    wire = signature + s.period;
  }
  // Departures: one beat a cycle from the switch, one a beat's time from the wire, whichever is slower. The
  // FIFO is deep enough for the slower one never to wait for the other.
  fabric::Time last = 0;
  unsigned last_words = 4;
  Cycle taken = 0, signature_in = s.check ? edge_from(signature + s.latency) : 0;
  for (unsigned i = 0; i < s.beats; ++i) {
    last = std::max(time_of(first + i + 2), wire);
    last_words = i + 1 == s.beats ? (s.tail + 7) / 8 : 4;
    if (!s.check && s.beats == 1 && last_words == 1) last_words = 2;
    wire = last + last_words * s.period;
    const Cycle in = edge_from(last + (last_words - 1) * s.period + s.latency);
    Cycle from = std::max(in + 1, take_go + 1);
    if (s.check) from = std::max(from, std::max(signature_in, take_go) + 2);
    taken = i == 0 ? from : std::max(from, taken + 1);
  }
  Cycle sent = static_cast<Cycle>(last / 5000), got = taken + 1;
  if (s.check) {
    const fabric::Time check = std::max(time_of(sent + 3), wire);
    sent = static_cast<Cycle>(check / 5000);
    got = std::max(taken + 2, edge_from(check + s.latency) + 5);
  }
  const Cycle written = taken + 1 + p.channel.write_latency + 1;
  return {sent + 1 + 2, std::max(written, got) + 2};
}

TEST(Engine, UnicastTakesTheStatedCycles) {
  std::mt19937 rng(11);
  for (int n = 0; n < 400; ++n) {
    Shape s;
    const fabric::Time latencies[] = {1'000, 20'000, 250'000, 251'300, 1'000'000};
    const fabric::Time periods[] = {400, 711, 1'250, 1'422, 6'400};
    s.latency = latencies[rng() % 5];
    s.period = periods[rng() % 5];
    s.eager = rng() % 2;
    s.beats = 1 + rng() % (s.eager ? 128 : 300);
    s.tail = 1 + rng() % 32;
    s.check = rng() % 2;
    s.sender_late = rng() % 3 ? 0 : rng() % 400;
    s.receiver_late = rng() % 3 ? 0 : rng() % 400;
    CollectiveParams p = small_params();
    p.block_check = s.check;
    p.channel.read_latency = 5 + rng() % 60;
    p.channel.write_latency = 1 + rng() % 30;
    Bench b({.params = p,
             .link = {.latency = s.latency, .period = s.period},
             .links = {{0, 1}},
             .nodes = 2,
             .window = n % 3 == 0 ? 7'000 : 0});
    const Pattern pattern{64, 32 * (s.beats - 1) + s.tail, 1, 0};
    fill(b.bytes(0, 0), 1 << 16, 5);
    const unsigned flags = s.eager ? kEager : 0;
    b.start(0, {read(0, pattern), send(0, kFromRead, flags), go(), end()}, s.sender_late);
    b.start(1, {take(0, flags), write(1, pattern, kFromLane), go(), end()}, s.receiver_late);
    b.run();
    ASSERT_TRUE(b.idle()) << b.node(0).waiting_for() << "\n" << b.node(1).waiting_for();
    EXPECT_EQ(std::memcmp(b.bytes(0, 0) + 64, b.bytes(1, 1) + 64, pattern.run_bytes), 0);
    EXPECT_EQ(b.bytes(1, 1)[64 + pattern.run_bytes], 0);
    const auto expected = closed_form(s, p);
    EXPECT_EQ(b.engine(0).finish(), expected.first) << n;
    EXPECT_EQ(b.engine(1).finish(), expected.second)
        << n << ": latency " << s.latency << " period " << s.period << " beats " << s.beats << " tail "
        << s.tail << " check " << s.check << " eager " << s.eager << " late " << s.sender_late << " "
        << s.receiver_late;
  }
}

TEST(Engine, BarrierIsOneFlightOfPulses) {
  for (const unsigned late : {0u, 1u, 300u}) {
    BenchOptions o{.params = small_params(), .links = full_mesh(4), .nodes = 4};
    Bench b(o);
    for (int n = 0; n < 4; ++n) {
      std::vector<Instruction> program;
      for (unsigned l = 0; l < 3; ++l) {
        program.push_back(send(l, kFromNone, kPulseOnly));
        program.push_back(take(l, kPulseOnly));
      }
      program.push_back(go());
      program.push_back(end());
      b.start(n, program, n == 2 ? late : 0);
    }
    b.run();
    ASSERT_TRUE(b.idle());
    const Cycle go_edge = 1 + 6, last = go_edge + late;
    const Cycle all = edge_from(time_of(last + 1) + 250'000) + 1;
    for (int n = 0; n < 4; ++n) {
      const Cycle others =
          n == 2 && late > 0 ? std::max(last + 1, edge_from(time_of(go_edge + 1) + 250'000) + 1) : all;
      EXPECT_EQ(b.engine(n).finish(), others + 1 + 2) << n << " late " << late;
    }
  }
}

}  // namespace
}  // namespace polyloom::collective
