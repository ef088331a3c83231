// SPDX-License-Identifier: Apache-2.0
// Covers: the network in RTL against the fast model's Noc in every cycle: room, starts, deliveries, exits,
//   contents; loads from light to saturated, mailboxes that refuse, exits that stall, on an inner board and
//   on the host's; messages with keys from everywhere, whose tables are of all kinds, some senseless. Built
//   once for each shape (TILES_X, TILES_Y, MAX_FLITS, LINK_FLITS, SLICES, LINE_BYTES, ROUTERS).
// Leaves out: whether the model is right (noc_test.cc), single routers (proof), the mailbox in RTL.
#include "roles/overlay/tests/noc/noc_pair.h"

namespace polyloom::overlay::test {
namespace {

constexpr BoardCoord kInner{1, 1}, kHosts{0, 0};

unsigned cycles(unsigned n) { return std::getenv("LONG_RUN") != nullptr ? 20 * n : 4 * n; }

TEST(OverlayNoc, EqualsTheModelAtEveryLoad) {
  for (const unsigned send : {1u, 4u, 9u, 16u}) {
    for (const BoardCoord at : {kInner, kHosts}) {
      Pair pair(send, at);
      pair.run({.send = send, .enter = send}, cycles(1500));
      pair.drain();
      if (HasFailure()) return;
      EXPECT_GT(pair.delivered, 100u);
      EXPECT_GT(pair.left, 50u);
    }
  }
}

TEST(OverlayNoc, EqualsTheModelWithRefusalsAndStalls) {
  std::uint64_t refused = 0, held_back = 0, masks = 0;
  for (unsigned round = 0; round < 6; ++round) {
    Pair pair(100 + round, round % 2 ? kInner : kHosts);
    for (unsigned phase = 0; phase < 4; ++phase) {
      const unsigned take = 1 + static_cast<unsigned>(pair.random() % 16);
      pair.run(
          {.send = 16, .enter = 12, .take = take, .free = phase % 2 ? 0u : take / 2, .local = 4 * round % 17},
          cycles(400));
    }
    pair.drain();
    if (HasFailure()) return;
    refused += pair.refused, held_back += pair.held_back, masks += pair.masks;
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(held_back, 1000u);
  EXPECT_GT(masks, 100u);
}

TEST(OverlayNoc, EqualsTheModelWithKeys) {
  if (!ROUTERS) GTEST_SKIP() << "no programmable routers";
  std::uint64_t copies = 0, faults = 0;
  for (unsigned round = 0; round < 12; ++round) {
    Pair pair(200 + round, round % 2 ? kInner : kHosts);
    for (unsigned phase = 0; phase < 3; ++phase) {
      const unsigned take = 4 + static_cast<unsigned>(pair.random() % 13);
      pair.run({.send = 1 + 5 * phase,
                .enter = 1 + 5 * phase,
                .take = take,
                .free = take,
                .key = 4 + 6 * (round % 3),
                .line = round < 6 ? 16u : 1 + 3 * (round % 6)},
               cycles(300));
    }
    pair.drain();
    if (HasFailure()) return;
    copies += pair.copies, faults += pair.faults;
  }
  EXPECT_GT(copies, 5000u);
  EXPECT_GT(faults, 20u);
}

TEST(OverlayNoc, EqualsTheModelForEachLengthOfMessage) {
  for (unsigned flits = 1; flits <= kMaxFlitsOfTest; ++flits) {
    Pair pair(flits, kInner);
    pair.run({.send = 16, .enter = 16, .take = 12, .local = 11, .flits = flits}, cycles(800));
    pair.drain();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace polyloom::overlay::test
