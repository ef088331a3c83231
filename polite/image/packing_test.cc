// SPDX-License-Identifier: Apache-2.0
// Covers: receiver packing against a plain table of cells: no overlap, equal index on all threads, first fit
// for single receivers, dense packing, the limit. Leaves out: optimality.
#include "polite/image/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace polyloom::polite {
namespace {

TEST(Packing, SingleReceiversFillWithoutHoles) {
  PackedTables tables(4);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(tables.place({2}, {1}), i);
  EXPECT_EQ(tables.size(2), 1000u);
  EXPECT_EQ(tables.size(1), 0u);
}

TEST(Packing, HolesAreFilledLater) {
  PackedTables tables(2);
  EXPECT_EQ(tables.place({0}, {3}), 0u);
  EXPECT_EQ(tables.place({0, 1}, {1, 2}), 3u);
  EXPECT_EQ(tables.place({1}, {2}), 0u);
  EXPECT_EQ(tables.place({1}, {2}), 5u) << "one cell at 2 is too short";
  EXPECT_EQ(tables.place({1}, {1}), 2u);
}

TEST(Packing, RandomMessagesNeverOverlap) {
  std::mt19937 rng(3);
  PackedTables tables(64);
  std::vector<std::set<std::uint32_t>> used(64);
  std::uint64_t cells = 0;
  for (int i = 0; i < 20000; ++i) {
    std::set<std::uint8_t> set;
    const unsigned n = 1 + rng() % (i < 2500 ? 40 : 4);  // widest first, as the tables are built
    while (set.size() < n) set.insert(static_cast<std::uint8_t>(rng() % 64));
    std::vector<std::uint8_t> threads(set.begin(), set.end());
    std::vector<std::uint32_t> lengths;
    for (std::size_t t = 0; t < threads.size(); ++t) lengths.push_back(1 + (rng() % 5 == 0 ? rng() % 10 : 0));
    const std::uint32_t index = tables.place(threads, lengths);
    if (index == 0xffff) continue;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      for (std::uint32_t k = 0; k < lengths[t]; ++k) ASSERT_TRUE(used[threads[t]].insert(index + k).second);
      cells += lengths[t];
    }
  }
  std::uint64_t size = 0;
  for (unsigned t = 0; t < 64; ++t) {
    size += tables.size(t);
    EXPECT_EQ(tables.size(t), *used[t].rbegin() + 1);
  }
  EXPECT_GT(static_cast<double>(cells) / static_cast<double>(size), 0.5);
}

TEST(Packing, NeighbourhoodsOfAPlaneFillMoreThanHalf) {
  // Threads are 8 by 8 squares of 8 by 8 vertices, neighbours are those of a million vertices: each vertex
  // around has receivers in few squares of its own.
  constexpr int kSide = 64;
  constexpr int kRadius = 80;
  std::mt19937 rng(5);
  const auto within = [&] { return static_cast<int>(rng() % (2 * kRadius + 1)) - kRadius; };
  std::vector<std::map<std::uint8_t, std::uint32_t>> messages;
  for (int y = -kRadius; y < kSide + kRadius; ++y) {
    for (int x = -kRadius; x < kSide + kRadius; ++x) {
      std::map<std::uint8_t, std::uint32_t> receivers;
      for (int i = 0; i < 100; ++i) {
        const int to_x = x + within(), to_y = y + within();
        if (to_x < 0 || to_y < 0 || to_x >= kSide || to_y >= kSide) continue;
        ++receivers[static_cast<std::uint8_t>(to_y / 8 * 8 + to_x / 8)];
      }
      if (!receivers.empty()) messages.push_back(std::move(receivers));
    }
  }
  std::ranges::stable_sort(messages, std::greater<>(), [](const auto& m) { return m.size(); });
  PackedTables tables(64);
  std::uint64_t cells = 0;
  for (const auto& receivers : messages) {
    std::vector<std::uint8_t> threads;
    std::vector<std::uint32_t> lengths;
    for (const auto& [thread, count] : receivers) {
      threads.push_back(thread);
      lengths.push_back(count);
      cells += count;
    }
    ASSERT_NE(tables.place(threads, lengths), 0xffffu);
  }
  std::uint64_t size = 0;
  for (unsigned t = 0; t < 64; ++t) size += tables.size(t);
  EXPECT_GT(static_cast<double>(cells) / static_cast<double>(size), 0.5);
}

TEST(Packing, RefusesIndicesThatAreNoKeys) {
  PackedTables tables(1, 10);
  EXPECT_EQ(tables.place({0}, {9}), 0u);
  EXPECT_EQ(tables.place({0}, {5}), 9u) << "entries may lie beyond the last key";
  EXPECT_EQ(tables.place({0}, {1}), 10u) << "full";
  EXPECT_EQ(tables.size(0), 14u);
}

}  // namespace
}  // namespace polyloom::polite
