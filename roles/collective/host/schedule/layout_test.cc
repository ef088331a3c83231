// SPDX-License-Identifier: Apache-2.0
// Covers: beats, even cuts, blocks in turns and in given channels, stripes, extents, moving, finding.
// Leaves out: which layouts algorithms ask for (schedule_test.cc).
#include "roles/collective/host/schedule/layout.h"

#include <gtest/gtest.h>

#include <numeric>

namespace polyloom::collective {
namespace {

using Sizes = std::vector<std::uint64_t>;

TEST(Layout, BeatsAreOf32Bytes) {
  EXPECT_EQ(round_to_beats(0), 0u);
  EXPECT_EQ(round_to_beats(1), 32u);
  EXPECT_EQ(round_to_beats(32), 32u);
  EXPECT_EQ(round_to_beats(33), 64u);
}

TEST(Layout, CutEvenly) {
  EXPECT_EQ(cut_evenly(100, 3), (Sizes{64, 32, 4}));  // 4 beats, the last of 4 bytes
  EXPECT_EQ(cut_evenly(10, 3), (Sizes{10, 0, 0}));
  EXPECT_EQ(cut_evenly(0, 2), (Sizes{0, 0}));
  for (const std::uint64_t bytes : {1u, 31u, 320u, 1000u, 4097u}) {
    for (const unsigned n : {1u, 2u, 7u}) {
      const Sizes parts = cut_evenly(bytes, n);
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}), bytes);
      std::uint64_t at = 0;
      for (const std::uint64_t p : parts) {
        if (p > 0) {
          EXPECT_EQ(at % 32, 0u) << "parts begin at beats";
        }
        at += p;
        EXPECT_LE(p, bytes / n + 32);
      }
    }
  }
}

TEST(Layout, BlocksTakeTurns) {
  const Sizes sizes{40, 0, 64};
  const Layout one = Layout::blocks(sizes, 2, 1, 1);  // channels 1, (0), 1
  EXPECT_EQ(one.bytes, 104u);
  EXPECT_EQ(one.pieces, (std::vector<Piece>{{0, 40, 1, 0}, {40, 64, 1, 64}}));
  const Layout two = Layout::blocks(sizes, 3, 2);  // blocks from channels 0, 2, 4 = 1 on, in two parts
  EXPECT_EQ(two.pieces, (std::vector<Piece>{{0, 32, 0, 0}, {32, 8, 1, 0}, {40, 32, 1, 32}, {72, 32, 2, 0}}));
}

TEST(Layout, PlacedAndStriped) {
  const Sizes sizes{64, 32, 32};
  const std::vector<unsigned> where{2, 0, 2};
  EXPECT_EQ(Layout::placed(sizes, where, 3).pieces,
            (std::vector<Piece>{{0, 64, 2, 0}, {64, 32, 0, 0}, {96, 32, 2, 64}}));
  EXPECT_EQ(Layout::striped(100, 8, 3).pieces,
            (std::vector<Piece>{{0, 64, 0, 0}, {64, 32, 1, 0}, {96, 4, 2, 0}}));
}

TEST(Layout, ExtentMovedFind) {
  const Sizes sizes{40, 0, 64};
  const Layout l = Layout::blocks(sizes, 2, 1, 1);
  EXPECT_EQ(l.extent(2), (Sizes{0, 128}));
  const Sizes start{7 * 32, 1024};
  const Layout moved = l.moved(start);
  EXPECT_EQ(moved.pieces, (std::vector<Piece>{{0, 40, 1, 1024}, {40, 64, 1, 1088}}));
  EXPECT_EQ(moved.extent(2), (Sizes{0, 1152}));
  EXPECT_EQ(l.find(0), 0u);
  EXPECT_EQ(l.find(39), 0u);
  EXPECT_EQ(l.find(40), 1u);
  EXPECT_EQ(l.find(103), 1u);
  EXPECT_THROW(l.find(104), std::logic_error);
  EXPECT_THROW(Layout{}.find(0), std::logic_error);
}

}  // namespace
}  // namespace polyloom::collective
