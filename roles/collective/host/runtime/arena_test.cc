// SPDX-License-Identifier: Apache-2.0
// Covers: first fit, gaps, bounds, beats, giving back, random use without overlap. Leaves out: buffers of
// several channels (group_test.cc's communicator, test_collectives.py).
#include "roles/collective/host/runtime/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace polyloom::collective {
namespace {

TEST(Arena, LowestPlaceThatFits) {
  Arena a;
  EXPECT_EQ(a.take(100, 0, 1024), 0u);  // takes 128
  EXPECT_EQ(a.take(32, 0, 1024), 128u);
  EXPECT_EQ(a.take(64, 0, 1024), 160u);
  a.give(128);
  EXPECT_EQ(a.take(33, 0, 1024), 224u) << "64 bytes do not fit into the gap of 32";
  EXPECT_EQ(a.take(1, 0, 1024), 128u);
}

TEST(Arena, OnlyInTheRange) {
  Arena a;
  EXPECT_EQ(a.take(512, 512, 1024), 512u);
  EXPECT_EQ(a.take(1, 512, 1024), std::nullopt);
  EXPECT_EQ(a.take(513, 0, 1024), std::nullopt) << "beats: 544 before 512 do not fit";
  EXPECT_EQ(a.take(512, 0, 1024), 0u);
  EXPECT_EQ(a.take(32, 0, 1024), std::nullopt);
  EXPECT_EQ(a.take(32, 0, 1056), 1024u);
}

TEST(Arena, WhatLiesBelowTheRangeDoesNotDrawItDown) {
  Arena a;
  EXPECT_EQ(a.take(128, 0, 1024), 0u);
  EXPECT_EQ(a.take(32, 512, 1024), 512u);
}

TEST(Arena, NothingNeedsNoPlace) {
  Arena a;
  EXPECT_EQ(a.take(0, 0, 0), 0u);
  EXPECT_EQ(a.take(32, 0, 32), 0u);
}

TEST(Arena, RandomUseNeverOverlaps) {
  std::mt19937 random(1);
  Arena a;
  std::map<std::uint64_t, std::uint64_t> mine;
  for (int i = 0; i < 2000; ++i) {
    if (!mine.empty() && random() % 3 == 0) {
      const auto it = std::next(mine.begin(), static_cast<std::ptrdiff_t>(random() % mine.size()));
      a.give(it->first);
      mine.erase(it);
      continue;
    }
    const std::uint64_t bytes = 1 + random() % 300;
    const auto at = a.take(bytes, 0, 16384);
    if (!at) continue;
    EXPECT_EQ(*at % 32, 0u);
    const auto next = mine.lower_bound(*at);
    if (next != mine.end()) {
      EXPECT_LE(*at + bytes, next->first);
    }
    if (next != mine.begin()) {
      EXPECT_GE(*at, std::prev(next)->second);
    }
    mine[*at] = *at + bytes;
  }
}

}  // namespace
}  // namespace polyloom::collective
