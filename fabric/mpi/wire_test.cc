// SPDX-License-Identifier: Apache-2.0
// Covers: outcomes and segments through a message and back, windows that disagree, how nodes are shared out.
// Leaves out: MPI itself (tests/conformance_mpi.cc).
#include "fabric/mpi/wire.h"

#include <gtest/gtest.h>

#include "fabric/mpi/session.h"

namespace polyloom::fabric::mpi {
namespace {

TEST(Wire, OutcomeAndSegmentsComeBack) {
  Outcome outcome;
  outcome.next = 123'456'789'012'345;
  outcome.interrupted = true;
  outcome.worked = true;
  outcome.failed = 7;
  std::vector<Segment> segments(4);
  segments[0] = {.first = 10, .keep = 3, .words = {1, ~0ull, 3}};
  segments[1] = {.first = 20};
  segments[2] = {.first = 30, .tail = false, .words = std::vector<std::uint64_t>(5000, 9)};
  segments[3] = {.first = 40, .head = false, .words = {}};
  Message message;
  message.begin(42, outcome);
  for (int i = 0; i < 4; ++i) message.add(100 + i, segments[static_cast<std::size_t>(i)]);
  const auto words = message.finish();
  EXPECT_EQ(words[0], words.size());
  const Outcome back = read_outcome(words, 42);
  EXPECT_EQ(back.next, outcome.next);
  EXPECT_TRUE(back.interrupted);
  EXPECT_TRUE(back.worked);
  EXPECT_FALSE(back.stop);
  EXPECT_EQ(back.failed, 7);
  std::size_t i = 0;
  read_segments(words, [&](int link, const Segment& s) {
    ASSERT_LT(i, 4u);
    EXPECT_EQ(link, 100 + static_cast<int>(i));
    EXPECT_EQ(s.first, segments[i].first);
    EXPECT_EQ(s.head, segments[i].head);
    EXPECT_EQ(s.tail, segments[i].tail);
    EXPECT_EQ(s.keep, segments[i].keep);
    EXPECT_EQ(s.words, segments[i].words);
    ++i;
  });
  EXPECT_EQ(i, 4u);
  EXPECT_THROW(read_outcome(words, 43), std::logic_error);
}

TEST(Wire, NothingFailedAndNeverSurvive) {
  Message message;
  message.begin(0, Outcome{});
  const Outcome back = read_outcome(message.finish(), 0);
  EXPECT_EQ(back.next, kNever);
  EXPECT_EQ(back.failed, -1);
}

TEST(Shares, AreContiguousAndKeepHostsAtRankZero) {
  const NodeHints board{}, host{.weight = 0, .on_rank_zero = true}, heavy{.weight = 4};
  EXPECT_EQ(contiguous_shares({board, board, board, board, host}, 2), (std::vector<int>{0, 0, 1, 1, 0}));
  EXPECT_EQ(contiguous_shares({heavy, board, board, board, board}, 2), (std::vector<int>{0, 1, 1, 1, 1}));
  EXPECT_EQ(contiguous_shares({board}, 3), (std::vector<int>{1}));
  EXPECT_EQ(contiguous_shares({host}, 3), (std::vector<int>{0}));
}

}  // namespace
}  // namespace polyloom::fabric::mpi
