// SPDX-License-Identifier: Apache-2.0
// Covers: the Verilated link of a board at one or both ends of a fabric link against MeshLink: messages of
//         all kinds and lengths, control packets of all lengths, phases with epochs, moody boards, losses,
//         times, payload share.
// Leaves out: frames (blocks/reliable_link/tests/reliable_link_swap_test.cc), the published forms (no RTL).
#include <gtest/gtest.h>

#include <cstdlib>

#include "fabric/fault.h"
#include "fabric/full_tests.h"
#include "roles/overlay/tests/link/overlay_link_nodes.h"

namespace polyloom::overlay::testing {
namespace {

using fabric::mix64;

Message random_message(std::uint64_t seed, std::uint64_t n) {
  std::mt19937_64 rng(mix64(seed * 1000003 + n));
  constexpr MessageKind kKinds[] = {MessageKind::unicast, MessageKind::mask, MessageKind::host,
                                    MessageKind::unicast, MessageKind::key};
  Message m;
  m.kind = kKinds[rng() % 5];
  m.flits = static_cast<std::uint8_t>(1 + rng() % kMaxFlits);
  m.dest = static_cast<std::uint32_t>(rng() % (1u << 20));
  m.mask = m.kind == MessageKind::mask ? rng() & rng() : std::uint64_t{1} << (rng() % 64);
  if (m.kind == MessageKind::key) m.dest = kKeyDest, m.mask = rng() & 0xffffffff;
  for (unsigned i = 0; i < m.words(); ++i) m.data[i] = static_cast<std::uint32_t>(rng());
  return m;
}

Packet random_packet(std::uint64_t seed, std::uint64_t n) {
  std::mt19937_64 rng(mix64(seed * 7919 + n));
  Packet p(1 + (n < 31 ? n : rng() % 31));
  for (std::uint64_t& word : p) word = rng();
  p[0] &= (std::uint64_t{1} << 56) - 1;
  return p;
}

Plan random_plan(std::uint64_t seed, std::uint64_t messages, unsigned phases) {
  Plan plan;
  plan.messages = messages, plan.phases = phases, plan.seed = seed;
  plan.message = [seed](std::uint64_t n) { return random_message(seed, n); };
  plan.packet = [seed](std::uint64_t n) { return random_packet(seed, n); };
  return plan;
}

void expect_same(const Message& got, const Message& sent, std::uint64_t n) {
  ASSERT_EQ(got.kind, sent.kind) << n;
  ASSERT_EQ(got.flits, sent.flits) << n;
  ASSERT_EQ(got.dest, sent.dest) << n;
  ASSERT_EQ(got.mask, sent.mask) << n;
  for (unsigned i = 0; i < sent.words(); ++i) ASSERT_EQ(got.data[i], sent.data[i]) << n << " word " << i;
}

/// Everything that board `from` sent has come to the other, once and in order.
void expect_delivered(TwoBoards& w, const Plan& plan, unsigned from, std::uint64_t messages) {
  const Log &sent = w.board[from]->log, &got = w.board[1 - from]->log;
  EXPECT_EQ(sent.sent, messages);
  ASSERT_EQ(got.messages.size(), messages);
  EXPECT_EQ(got.received, messages);
  for (std::uint64_t n = 0; n < messages; ++n) expect_same(got.messages[n], plan.message(n), n);
  ASSERT_GE(sent.packets_sent, 20u);
  for (std::uint64_t n = 0; n < got.packets.size(); ++n) ASSERT_EQ(got.packets[n], plan.packet(n)) << n;
  EXPECT_LE(sent.packets_sent - got.packets.size(), 20u);  // on their way
}

struct Wire {
  const char* name;
  double bit_errors, drops;
};
class OverlayLinkSwap : public ::testing::TestWithParam<Wire> {};

TEST_P(OverlayLinkSwap, MessagesAndPacketsOfAllKindsComeOnceAndInOrder) {
  const bool full = fabric::full_tests();
  const std::uint64_t messages = full ? 3000 : 300;
  for (unsigned ends = 1; ends <= 3; ++ends) {
    for (const unsigned moody : {0u, 100u}) {
      Plan plans[2] = {random_plan(ends, messages, 3), random_plan(ends + 100, messages, 3)};
      for (Plan& plan : plans) plan.moody = moody;
      const bool rtl[2] = {(ends & 1) != 0, (ends & 2) != 0};
      TwoBoards w(plans, rtl,
                  {.latency = 780'000,
                   .period = 6'400,
                   .bit_error_rate = GetParam().bit_errors,
                   .drop_rate = GetParam().drops,
                   .seed = ends});
      w.run(full ? 400'000 : 60'000);
      for (unsigned i = 0; i < 2; ++i) expect_delivered(w, plans[i], i, 3 * messages);
      EXPECT_GT(w.board[0]->log.held_cycles + w.board[1]->log.held_cycles, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OverlayLinkSwap,
                         ::testing::Values(Wire{"clean", 0, 0}, Wire{"noisy", 1e-5, 0.02}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OverlayLinkRtl, PacketsOvertakeMessagesThatNoThreadAccepts) {
  Plan plans[2] = {random_plan(1, 2000, 1), random_plan(2, 1, 1)};
  plans[1].deaf_until = 60'000;
  TwoBoards w(plans, {true, true}, {.latency = 780'000, .period = 6'400});
  w.run(60'000);
  const Log &sent = w.board[0]->log, &got = w.board[1]->log;
  EXPECT_EQ(got.messages.size(), 0u);
  EXPECT_LT(sent.sent, 1000u);  // both buffers are full
  EXPECT_GT(got.packets.size(), 80u);
  EXPECT_LE(sent.packets_sent - got.packets.size(), 10u);
  w.run(160'000);
  ASSERT_EQ(got.messages.size(), 2000u);
  for (std::uint64_t n = 0; n < 2000; ++n) expect_same(got.messages[n], plans[0].message(n), n);
}

/// Cycle at which the only message, sent at once, comes out at the other end.
Cycle arrival(bool rtl, MessageKind kind, unsigned flits) {
  Plan plans[2];
  plans[0].messages = 1;
  plans[0].message = [=](std::uint64_t) {
    Message m = random_message(1, 1);
    m.kind = kind, m.flits = static_cast<std::uint8_t>(flits);
    return m;
  };
  TwoBoards w(plans, {rtl, rtl}, {.latency = 780'000, .period = 6'400});
  w.run(1000);
  return w.board[1]->log.messages.size() == 1 ? w.board[1]->log.message_at[0] : 0;
}

TEST(OverlayLinkRtl, AMessageTakesTheStatedCycles) {
  for (const MessageKind kind : {MessageKind::unicast, MessageKind::mask, MessageKind::key}) {
    for (unsigned flits = 1; flits <= 4; ++flits) {
      const unsigned items = (kind == MessageKind::mask ? 2 : 1) + 2 * flits;
      // The first item is taken in cycle 1 (reset), the last `items` - 1 later; the frame leaves in the next
      // cycle.
      const fabric::Clock clock(250'000'000);
      const Cycle start = 1 + items;
      const fabric::Time last = clock.edge(start) + 780'000 + (std::max(8u, items + 3) - 1) * 6'400;
      const Cycle visible = clock.first_edge_from(last) + 2;
      EXPECT_EQ(arrival(true, kind, flits), visible + items + 1) << flits;
      // The model hands over at the end of a window of 8 cycles and takes a message as soon as it is visible.
      const Cycle model = arrival(false, kind, flits);
      EXPECT_LE(arrival(true, kind, flits), model + 2 * items);
      EXPECT_GE(arrival(true, kind, flits) + 8, model);
    }
  }
}

TEST(OverlayLinkRtl, FullLinksCarryTheStatedShareOfPayload) {
  // Targets of the benchmark bench/links; bounds: 60 of 65 words are items (README of the reliable link).
  const double four = payload_share(4, true, 40'000), one = payload_share(1, true, 40'000);
  std::printf("payload share: 4 flits %.3f, 1 flit %.3f\n", four, one);
  EXPECT_GE(four, 0.80);
  EXPECT_LE(four, 60.0 / 65 * 8 / 9 + 0.005);
  EXPECT_GE(one, 0.50);
  EXPECT_LE(one, 60.0 / 65 * 2 / 3 + 0.005);
  EXPECT_NEAR(payload_share(4, false, 40'000), four, 0.01);
  EXPECT_NEAR(payload_share(1, false, 40'000), one, 0.01);
}

}  // namespace
}  // namespace polyloom::overlay::testing
