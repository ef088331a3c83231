// SPDX-License-Identifier: Apache-2.0
// Covers: works cut at the borders of pieces, runs that touch and runs at a stride joined, what is refused.
// Leaves out: which units share a step (pack_test.cc).
#include "roles/collective/host/schedule/cut.h"

#include <gtest/gtest.h>

#include "fabric/error.h"

namespace polyloom::collective {
namespace {

Layout of(std::vector<Piece> pieces) {
  Layout l;
  for (const Piece& p : pieces) l.bytes += p.bytes;
  l.pieces = std::move(pieces);
  return l;
}

/// From rank 0's send buffer to rank 1's receive buffer, `bytes` from their begins on.
Work move(std::uint64_t bytes, std::uint64_t at = 0) {
  Flow flow;
  flow.source = {0, kSend, at};
  flow.routes = {{{0, 1}}};
  flow.writes = {{1, kRecv, 0}};
  return {bytes, {flow}, {}};
}

Buffers buffers(Layout send, Layout recv) {
  Buffers b;
  b.send = {std::move(send), {}};
  b.recv = {{}, std::move(recv)};
  b.scratch = b.low = {{}, {}};
  return b;
}

void expect_pattern(const Pattern& p, unsigned channel, std::uint64_t base, std::uint32_t run_bytes,
                    std::uint32_t runs = 1, std::int64_t stride = 0) {
  EXPECT_EQ(p.channel, channel);
  EXPECT_EQ(p.base, base);
  EXPECT_EQ(p.run_bytes, run_bytes);
  EXPECT_EQ(p.runs, runs);
  if (runs > 1) {
    EXPECT_EQ(p.stride, stride);
  }
}

TEST(Cut, AtTheBordersOfBothEnds) {
  const Buffers b = buffers(of({{0, 64, 0, 0}, {64, 96, 1, 512}}), of({{0, 96, 2, 0}, {96, 64, 3, 0}}));
  const Phase phase{move(160)};
  const auto units = cut(phase, b);
  ASSERT_EQ(units.size(), 3u);  // [0, 64) [64, 96) [96, 160)
  expect_pattern(units[0].flows[0].read, 0, 0, 64);
  expect_pattern(units[0].flows[0].writes[0].pattern, 2, 0, 64);
  expect_pattern(units[1].flows[0].read, 1, 512, 32);
  expect_pattern(units[1].flows[0].writes[0].pattern, 2, 64, 32);
  expect_pattern(units[2].flows[0].read, 1, 544, 64);
  expect_pattern(units[2].flows[0].writes[0].pattern, 3, 0, 64);
  EXPECT_EQ(units[2].bytes, 64u);
}

TEST(Cut, RunsThatTouchBecomeOne) {
  const Buffers b = buffers(of({{0, 64, 0, 0}, {64, 64, 0, 64}}), of({{0, 128, 1, 256}}));
  const Phase phase{move(128)};
  const auto units = cut(phase, b);
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0].bytes, 128u);
  expect_pattern(units[0].flows[0].read, 0, 0, 128);
  expect_pattern(units[0].flows[0].writes[0].pattern, 1, 256, 128);
}

TEST(Cut, EqualRunsAtAStrideBecomeOneStream) {
  const Buffers b = buffers(of({{0, 64, 0, 0}, {64, 64, 0, 256}, {128, 64, 0, 512}, {192, 64, 0, 1024}}),
                            of({{0, 256, 1, 0}}));
  const Phase phase{move(256)};
  const auto units = cut(phase, b);
  ASSERT_EQ(units.size(), 2u);  // 0, 256, 512; the fourth is farther away
  EXPECT_EQ(units[0].bytes, 192u);
  expect_pattern(units[0].flows[0].read, 0, 0, 64, 3, 256);
  expect_pattern(units[0].flows[0].writes[0].pattern, 1, 0, 64, 3, 64);
  expect_pattern(units[1].flows[0].read, 0, 1024, 64);
}

TEST(Cut, AShortBeatEndsAChain) {
  // The first piece ends inside of a beat, so the second cannot follow it in one run.
  const Buffers b = buffers(of({{0, 40, 0, 0}, {40, 64, 0, 64}}), of({{0, 40, 1, 0}, {40, 64, 1, 64}}));
  const Phase phase{move(104)};
  const auto units = cut(phase, b);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].bytes, 40u);
  EXPECT_EQ(units[1].bytes, 64u);
}

TEST(Cut, JoinedStreamsAndPulsesStayAsTheyAre) {
  Work joined = move(128);
  joined.joins = {{1, {}}};
  joined.flows[0].feeds = {0};
  Work pulse{0, {Flow{}}, {}};
  pulse.flows[0].source.rank = 1;
  const Buffers b = buffers(of({{0, 64, 0, 0}, {64, 64, 0, 64}}), of({{0, 128, 1, 256}}));
  const Phase phase{joined, pulse};
  const auto units = cut(phase, b);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].work, &phase[0]);
  EXPECT_EQ(units[2].bytes, 0u);
  EXPECT_EQ(units[2].flows[0].rank, 1);
}

TEST(Cut, RefusesWhatIsNoBeatOrNotThere) {
  const Buffers b = buffers(of({{0, 128, 0, 0}}), of({{0, 128, 1, 0}}));
  EXPECT_THROW(cut({move(64, 8)}, b), UserError);
  EXPECT_NO_THROW(cut({move(64, 64)}, b));
  EXPECT_THROW(cut({move(64, 96)}, b), UserError);
}

}  // namespace
}  // namespace polyloom::collective
