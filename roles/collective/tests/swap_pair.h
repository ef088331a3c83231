// SPDX-License-Identifier: Apache-2.0
// For tests: two nodes that exchange two blocks in each of two rounds, something going wrong in the first;
// what must hold afterwards whatever it was.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "roles/collective/tests/bench.h"
#include "roles/collective/tests/swap_bench.h"

namespace polyloom::collective::swap {

inline constexpr unsigned kBytes = 100, kBack = 40;  ///< of the block from node 0, and of the one back
inline constexpr std::uint64_t kHalf = kSwapBytes / 2, kRoom = 1024;

/// Node 0 sends a rendezvous block, then node 1 an eager one. `at`: where in the channels.
inline std::vector<Program> exchange(std::uint64_t at) {
  using namespace test;
  return {{read(0, {at, kBytes, 1, 0}), send(0, kFromRead, 0, 0x1234), go(0), take(0, kEager, 0x77),
           write(1, {kHalf + at, kBack, 1, 0}, kFromLane), go(1), end()},
          {take(0, 0, 0x1234), write(0, {kHalf + at, kBytes, 1, 0}, kFromLane), go(0),
           read(1, {at, kBack, 1, 0}), send(0, kFromRead + 1, kEager, 0x77), go(1), end()}};
}

inline Scene scene(const CollectiveParams& params) {
  Scene s;
  s.params = params;
  s.links = {{0, 1}};
  s.programs = {exchange(0), exchange(kRoom)};
  s.watchdog = 2000;
  s.every = 60'000'000;  // the watchdog is 10 us
  s.memory = {{Bytes(2 * kRoom)}, {Bytes(0), Bytes(2 * kRoom)}};
  for (std::size_t i = 0; i < 2 * kRoom; ++i) {
    s.memory[0][0][i] = static_cast<std::uint8_t>(i * 7 + 1);
    s.memory[1][1][i] = static_cast<std::uint8_t>(i * 13 + 5);
  }
  return s;
}

/// Bits in which the blocks of a round differ from what was sent; -1 with bytes changed around them. The
/// node `wild` may have written where it liked in its own memory before the round.
inline int wrong_bits(const Scene& s, const Outcome& out, std::uint64_t at, int wild = -1) {
  int wrong = 0;
  const auto compare = [&](int from, unsigned channel, unsigned count) {
    const auto a = static_cast<std::size_t>(from), b = 1 - a;
    const Bytes& sent = from == wild ? out.nodes[a].channels[channel] : s.memory[a][channel];
    const Bytes& got = out.nodes[b].channels[channel];
    const std::uint64_t end = wild >= 0 && from != wild ? count : kRoom;
    for (std::uint64_t i = 0; i < end && wrong >= 0; ++i) {
      const auto before = i < count ? sent[at + i] : std::uint8_t{0};
      const int differ = std::popcount(static_cast<unsigned>(before ^ got[kHalf + at + i]));
      wrong = i < count ? wrong + differ : differ != 0 ? -1 : wrong;
    }
  };
  compare(0, 0, kBytes);
  compare(1, 1, kBack);
  return wrong;
}

/// What must hold whatever was damaged in round 0; its codes, node 0's in the low byte.
inline unsigned judge(const Scene& s, const Outcome& out, const std::string& what, int wild = -1) {
  unsigned codes = 0;
  for (std::size_t n = 0; n < 2; ++n) {
    const auto& events = out.nodes[n].events;
    EXPECT_EQ(events.size(), 2u) << what << "node " << n << " hangs";
    if (events.size() != 2) return ~0u;
    EXPECT_EQ(events[1].code, 0u) << what << "works again, node " << n;
    codes |= static_cast<unsigned>(events[0].code) << 8 * n;
  }
  EXPECT_EQ((codes & 0xff) != 0, codes >> 8 != 0) << what << "only one node knows: " << codes;
  EXPECT_EQ(wrong_bits(s, out, kRoom, wild), 0) << what << "works again";
  return codes;
}

inline void same_events(const Outcome& model, const Outcome& design, const std::string& what) {
  for (std::size_t n = 0; n < 2; ++n) {
    ASSERT_EQ(design.nodes[n].events.size(), 2u) << what << "RTL, node " << n;
    const auto &x = model.nodes[n].events[0], &y = design.nodes[n].events[0];
    EXPECT_EQ(x.code, y.code) << what << "RTL, node " << n;
    EXPECT_EQ(x.value, y.value) << what << "RTL, node " << n;
    EXPECT_EQ(x.detail, y.detail) << what << "RTL, node " << n;
  }
}

}  // namespace polyloom::collective::swap
