// SPDX-License-Identifier: Apache-2.0
// Covers: when a posted operation runs, who differs, several under way, fingerprints; ranks' operations in
// elements, each against its definition. Leaves out: simulated nodes (test_collectives.py).
#include "roles/collective/host/runtime/group.h"

#include <gtest/gtest.h>

#include <numeric>

namespace polyloom::collective {
namespace {

Posted posted(std::uint64_t bytes, Operation op = Operation::all_reduce) {
  return {{.operation = op, .sizes = {bytes}, .type = DataType::int32}, {}, {}};
}

TEST(Group, RunsWhenTheLastRankHasPosted) {
  Group group(3);
  int runs = 0;
  const Group::Run run = [&](const std::vector<Posted>& all) {
    ++runs;
    EXPECT_EQ(all.size(), 3u);
    return Result{.operation = "x", .algorithm = "y", .bytes = all[1].request.sizes[0]};
  };
  const auto a = group.post(2, posted(64), run), b = group.post(0, posted(64), run);
  EXPECT_FALSE(a->settled());
  EXPECT_EQ(a, b) << "one operation";
  try {
    a->result();
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("rank(s) 0, 2 have posted and wait for rank(s) 1"),
              std::string::npos)
        << e.what();
  }
  group.post(1, posted(64), run);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(b->result().bytes, 64u);
}

TEST(Group, TheKthPostOfEachRankBelongTogether) {
  Group group(2);
  std::vector<std::uint64_t> order;
  const Group::Run run = [&](const std::vector<Posted>& all) {
    order.push_back(all[0].request.sizes[0]);
    return Result{};
  };
  group.post(0, posted(4), run);
  const auto second = group.post(0, posted(8), run);
  EXPECT_TRUE(order.empty());
  group.post(1, posted(4), run);
  EXPECT_FALSE(second->settled());
  group.post(1, posted(8), run);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{4, 8}));
  EXPECT_THROW(group.post(2, posted(4), run), UserError);
  EXPECT_THROW(group.post(-1, posted(4), run), UserError);
}

TEST(Group, AllHandlesHaveTheCause) {
  Group group(2);
  const Group::Run never = [](const std::vector<Posted>&) -> Result {
    throw std::logic_error("must not run");
  };
  const auto a = group.post(0, posted(64), never), b = group.post(1, posted(32), never);
  for (const auto& state : {a, b}) {
    ASSERT_TRUE(state->settled());
    EXPECT_THROW(state->result(), UserError);
    EXPECT_NE(state->error.find("[32] (rank 1) [64] (rank 0)"), std::string::npos) << state->error;
  }
  const Group::Run fails = [](const std::vector<Posted>&) -> Result { throw UserError("no memory"); };
  const auto c = group.post(0, posted(64), fails);
  group.post(1, posted(64), fails);
  EXPECT_EQ(c->error, "no memory");
}

TEST(Differences, NamesWhatAndWho) {
  const auto said = [](const Posted& a, const Posted& b) { return differences({a, a, b}); };
  const Posted base = posted(64);
  EXPECT_EQ(said(base, base), "");
  Posted other = base;
  other.request.root = 2;
  EXPECT_EQ(said(base, other), " root: 0 (ranks 0, 1) 2 (rank 2);");
  other = base;
  other.request.type = DataType::fp32;
  other.request.reduce = ReduceOp::min;
  const std::string two = said(base, other);
  EXPECT_NE(two.find("type: fp32 (rank 2) int32 (ranks 0, 1)"), std::string::npos) << two;
  EXPECT_NE(two.find("reduction: min (rank 2) sum"), std::string::npos) << two;
  // Of other operations the rest is no news; of what moves only, the reduction is not looked at.
  EXPECT_EQ(said(base, posted(8, Operation::broadcast)),
            " operation: all_reduce (ranks 0, 1) broadcast (rank 2);");
  Posted copy = posted(64, Operation::broadcast), copy2 = copy;
  copy2.request.reduce = ReduceOp::min;
  EXPECT_EQ(said(copy, copy2), "");
}

TEST(Fingerprint, EachPartOfARequestCounts) {
  const Request base{.operation = Operation::reduce, .sizes = {64, 128}};
  std::vector<Request> others(7, base);
  others[0].operation = Operation::scatter;
  others[1].sizes = {128, 64};
  others[2].sizes = {64, 128, 0};
  others[3].root = 1;
  others[4].destination = 1;
  others[5].reduce = ReduceOp::max;
  others[6].type = DataType::fp32;
  for (const Request& r : others) EXPECT_NE(fingerprint(r, "direct"), fingerprint(base, "direct"));
  EXPECT_NE(fingerprint(base, "halves"), fingerprint(base, "direct"));
  EXPECT_EQ(fingerprint(Request(base), "direct"), fingerprint(base, "direct"));
}

/// Four ranks in this process; rank r's element i is 100 r + i.
class RankTest : public testing::Test {
 protected:
  RankTest() : comm({.on = "native", .native_ranks = 4}), in(4, std::vector<std::int32_t>(8)), out(in) {
    for (std::size_t r = 0; r < 4; ++r) std::iota(in[r].begin(), in[r].end(), static_cast<int>(100 * r));
  }
  using Ints = std::vector<std::int32_t>;
  /// Posts for all ranks; every handle must then have run.
  template <class F>
  void all(F post) {
    std::vector<Handle> handles;
    for (int r = 0; r < 4; ++r) handles.push_back(post(comm.rank(r), in[at(r)], out[at(r)]));
    for (const Handle& h : handles) EXPECT_EQ(h.wait().ranks, 4);
  }
  static std::size_t at(int r) { return static_cast<std::size_t>(r); }

  Communicator comm;
  std::vector<Ints> in, out;
};

TEST_F(RankTest, WhatMoves) {
  all([](Rank r, Ints&, Ints&) { return r.barrier(); });
  all([](Rank r, Ints& i, Ints&) { return r.broadcast<std::int32_t>(std::span(i).first(2), 3); });
  for (const Ints& i : in) EXPECT_EQ(std::vector(i.begin(), i.begin() + 3), (Ints{300, 301, i[2]}));
  all([](Rank r, Ints& i, Ints& o) { return r.unicast<std::int32_t>(i, o, 1, 2); });
  EXPECT_EQ(out[2], in[1]);
  EXPECT_EQ(out[3], Ints(8));
  all([](Rank r, Ints& i, Ints& o) { return r.scatter<std::int32_t>(i, std::span(o).first(2), 2); });
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ((Ints{out[r][0], out[r][1]}), (Ints{in[2][2 * r], in[2][2 * r + 1]}));
  }
  all([](Rank r, Ints& i, Ints& o) { return r.gather<std::int32_t>(std::span(i).subspan(4, 2), o, 1); });
  EXPECT_EQ(out[1], (Ints{4, 5, 104, 105, 204, 205, 304, 305}));
  all([](Rank r, Ints& i, Ints& o) { return r.all_gather<std::int32_t>(std::span(i).subspan(6, 2), o); });
  for (const Ints& o : out) EXPECT_EQ(o, (Ints{6, 7, 106, 107, 206, 207, 306, 307}));
  all([](Rank r, Ints& i, Ints& o) { return r.all_to_all<std::int32_t>(i, o); });
  for (std::size_t to = 0; to < 4; ++to) {
    for (std::size_t from = 0; from < 4; ++from) {
      EXPECT_EQ(out[to][2 * from], in[from][2 * to]);
      EXPECT_EQ(out[to][2 * from + 1], in[from][2 * to + 1]);
    }
  }
}

TEST_F(RankTest, WhatReduces) {
  all([](Rank r, Ints& i, Ints& o) { return r.reduce<std::int32_t>(i, o, 3, ReduceOp::max); });
  EXPECT_EQ(out[3], in[3]);
  EXPECT_EQ(out[0], Ints(8));
  all([](Rank r, Ints& i, Ints& o) { return r.all_reduce<std::int32_t>(i, o); });
  for (const Ints& o : out) EXPECT_EQ(o, (Ints{600, 604, 608, 612, 616, 620, 624, 628}));
  all([](Rank r, Ints& i, Ints& o) {
    return r.reduce_scatter<std::int32_t>(i, std::span(o).first(2), ReduceOp::average);
  });
  for (int r = 0; r < 4; ++r) {
    EXPECT_EQ(out[at(r)][0], 150 + 2 * r);
    EXPECT_EQ(out[at(r)][1], 151 + 2 * r);
  }
}

TEST_F(RankTest, MistakesOfOneRankAreEveryones) {
  std::vector<Handle> handles;
  for (int r = 0; r < 4; ++r) {  // no room for the result on rank 2
    handles.push_back(
        comm.rank(r).all_reduce<std::int32_t>(in[at(r)], std::span(out[at(r)]).first(r == 2 ? 7 : 8)));
  }
  for (const Handle& h : handles) EXPECT_THROW(h.wait(), UserError);
  EXPECT_THROW(comm.rank(4), UserError);
  EXPECT_THROW(comm.rank(-1), UserError);
  EXPECT_THROW(comm.rank(0).all_to_all<std::int32_t>(std::span(in[0]).first(7), out[0]), UserError);
  EXPECT_THROW(Handle{}.wait(), UserError);
}

TEST_F(RankTest, TypedBuffers) {
  const auto prepared =
      comm.prepare({.operation = Operation::all_reduce, .sizes = {32}, .type = DataType::int32});
  for (int r = 0; r < 4; ++r) comm.write<std::int32_t>(prepared.send[at(r)], in[at(r)]);
  comm.run(prepared);
  comm.read<std::int32_t>(prepared.recv[2], out[0]);
  EXPECT_EQ(out[0], (Ints{600, 604, 608, 612, 616, 620, 624, 628}));
}

}  // namespace
}  // namespace polyloom::collective
