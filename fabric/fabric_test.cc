// SPDX-License-Identifier: Apache-2.0
// Covers: arrival times of words and pulses at N-1 and N, window skipping, the rules of sending, why runs
// end, exceptions, repeated runs, names and counters. Serial engine; hand-derived times. Leaves out: several
// threads and processes (tests/), fault statistics (fault_test.cc).
#include "fabric/fabric.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <stdexcept>

#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

/// A node whose behaviour is a function per scheduled time; notes each word with the window in which it was
/// seen.
class Scripted : public Node {
 public:
  struct Seen {
    Time at, until;
    std::size_t word;
    std::uint64_t value;
    bool operator==(const Seen&) const = default;
  };
  explicit Scripted(Port port) : port(port) {}

  void advance(Time until) override {
    windows.push_back(until);
    while (!script.empty() && script.front().first < until) {
      const auto [at, act] = script.front();
      script.pop_front();
      act(at);
    }
    for (const Segment* s; (s = port.rx->front()) != nullptr && s->first < until;) {
      while (word < s->words.size() && s->word_time(word) < until) {
        seen.push_back({s->word_time(word), until, word, s->words[word]});
        ++word;
      }
      if (word < s->words.size()) break;
      if (s->words.empty()) pulses.push_back(s->first);
      word = 0;
      port.rx->pop();
    }
    stop = stop || until > stop_after;
  }
  Time next_event() const override { return script.empty() ? kNever : script.front().first; }
  bool wants_stop() const override { return stop; }
  std::string waiting_for() const override { return waits; }
  void counters(const CounterSink& sink) const override { sink("node.words", seen.size()); }
  void digest(Digest& digest) const override { digest.add(seen.size()); }

  void at(Time t, std::function<void(Time)> act) { script.emplace_back(t, std::move(act)); }
  void send_at(Time t, std::vector<std::uint64_t> words) {
    at(t, [this, words = std::move(words)](Time now) {
      Segment s;
      s.first = now;
      s.words = words;
      port.tx->send(std::move(s));
    });
  }

  Port port;
  std::deque<std::pair<Time, std::function<void(Time)>>> script;
  std::vector<Time> windows;
  std::vector<Seen> seen;
  std::vector<Time> pulses;
  std::size_t word = 0;
  Time stop_after = kNever - 1;
  bool stop = false;
  std::string waits;
};

/// Two scripted nodes, 1000 ps apart, 10 ps a word from a to b.
struct Pair {
  explicit Pair(LinkSpec ab = {.latency = 1000, .period = 10},
                LinkSpec ba = {.latency = 5000, .period = 10}) {
    const int ia = fabric.add_node("a"), ib = fabric.add_node("b");
    const auto [pa, pb] = fabric.connect(ab, ba, ia, ib);
    auto na = std::make_unique<Scripted>(pa), nb = std::make_unique<Scripted>(pb);
    a = na.get(), b = nb.get();
    fabric.set_node(ia, std::move(na));
    fabric.set_node(ib, std::move(nb));
  }
  Fabric fabric;
  Scripted *a, *b;
};

TEST(FabricTime, WordArrivesAfterLatencyAndPeriods) {
  Pair p;
  p.a->send_at(7, {11, 22, 33});
  const RunResult r = run(p.fabric);
  EXPECT_EQ(r.reason, RunEnd::quiet);
  ASSERT_EQ(p.b->seen.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(p.b->seen[i].at, 7 + 1000 + 10 * static_cast<Time>(i));
  EXPECT_EQ(p.b->seen[2].value, 33u);
}

TEST(FabricTime, WordIsUsedInTheWindowOfItsTimeNotBefore) {
  // The first window is [5, 1005): word 0, sent at 5, arrives at 1005. A limit at 1005 + 10 leaves word 1
  // outside (N-1: not yet), at 1005 + 11 it is in (N: now).
  for (const Time limit : {1015, 1016}) {
    Pair p;
    p.a->send_at(5, {1, 2});
    const RunResult r = run(p.fabric, {.limit = limit});
    EXPECT_EQ(r.end, limit == 1015 ? 1015 : 1016);
    EXPECT_EQ(p.b->seen.size(), limit == 1015 ? 1u : 2u);
    EXPECT_EQ(r.stopped_by_limit, limit == 1015);  // with both words seen, nothing is left to do
  }
  for (const Time limit : {1005, 1006}) {
    Pair p;
    p.a->send_at(5, {1, 2});
    run(p.fabric, {.limit = limit});
    EXPECT_EQ(p.b->seen.size(), limit == 1005 ? 0u : 1u);
  }
}

TEST(FabricTime, PulseHasNoLengthAndKeepsOrder) {
  Pair p;
  p.a->send_at(100, {1, 2, 3});
  p.a->send_at(130, {});
  p.a->send_at(130, {});
  run(p.fabric);
  EXPECT_EQ(p.b->pulses, (std::vector<Time>{1130, 1130}));
  EXPECT_EQ(p.fabric.link(0).traffic().pulses, 2u);
  EXPECT_EQ(p.fabric.link(0).traffic().frames, 3u);
  EXPECT_EQ(p.fabric.link(0).traffic().bits, 192u);
}

TEST(FabricTime, FreeAtIsTheEndOfTheLastWord) {
  Pair p;
  p.a->at(100, [&](Time) {
    Segment s{.first = 100, .words = {1, 2, 3}};
    p.a->port.tx->send(s);
    EXPECT_EQ(p.a->port.tx->free_at(), 130);
    EXPECT_EQ(p.a->port.tx->period(), 10);
    s.first = 129;
    EXPECT_THROW(p.a->port.tx->send(s), std::logic_error);
    s.first = 130;
    p.a->port.tx->send(s);
  });
  run(p.fabric);
  EXPECT_EQ(p.b->seen.back().at, 1150);
}

TEST(FabricWindows, AreOfTheSmallestLatencyAndSkipIdleTime) {
  Pair p;
  EXPECT_EQ(p.fabric.window(), 1000);
  p.a->send_at(0, {1});
  p.a->send_at(1'000'000'000'000, {2});
  const RunResult r = run(p.fabric);
  // Windows: [0,1000) send, [1000,2000) arrival, [10^12, ..) send, [10^12+1000, ..) arrival.
  EXPECT_EQ(r.windows, 4u);
  EXPECT_EQ(r.end, 1'000'000'000'000 + 2000);
  // An idle node is not called, except once at the end to come level.
  EXPECT_EQ(p.a->windows, (std::vector<Time>{1000, 1'000'000'001'000, 1'000'000'002'000}));
  EXPECT_EQ(p.b->windows, (std::vector<Time>{2000, 1'000'000'002'000}));
}

TEST(FabricWindows, LaterWordsOfALongSegmentWakeTheReceiver) {
  Pair p;
  p.a->send_at(0, std::vector<std::uint64_t>(250, 9));  // 2500 ps: arrives over three windows
  const RunResult r = run(p.fabric);
  ASSERT_EQ(p.b->seen.size(), 250u);
  for (const auto& s : p.b->seen) {
    EXPECT_LT(s.at, s.until);
    EXPECT_GE(s.at, s.until - 1000);
  }
  EXPECT_EQ(r.end, 4000);
}

TEST(FabricRules, SendsOutsideTheWindowAreRefused) {
  Pair p;
  p.a->at(500, [&](Time) {
    Segment s{.words = {1}};
    s.first = 499;  // the window starts at 500
    EXPECT_THROW(p.a->port.tx->send(s), std::logic_error);
    s.first = 1500;  // and ends before 1500
    EXPECT_THROW(p.a->port.tx->send(s), std::logic_error);
    EXPECT_THROW(p.b->port.tx->send(s), std::logic_error);  // not its own port
    s.first = 1499;
    p.a->port.tx->send(s);
  });
  run(p.fabric);
  EXPECT_EQ(p.b->seen.size(), 1u);
  EXPECT_THROW(p.a->port.tx->send(Segment{}), std::logic_error);  // not inside advance()
}

TEST(FabricRules, FramesAreHeadThenTail) {
  Pair p;
  p.a->at(0, [&](Time) {
    Tx& tx = *p.a->port.tx;
    EXPECT_THROW(tx.send({.first = 0, .head = false, .tail = true, .words = {1}}), std::logic_error);
    tx.send({.first = 0, .head = true, .tail = false, .words = {1}});
    tx.send({.first = 10});  // a pulse within a frame
    EXPECT_THROW(tx.send({.first = 10, .head = true, .tail = true, .words = {1}}), std::logic_error);
    EXPECT_THROW(tx.send({.first = 10, .head = false, .tail = true, .keep = 9, .words = {1}}),
                 std::logic_error);
    tx.send({.first = 10, .head = false, .tail = true, .keep = 3, .words = {1}});
  });
  run(p.fabric);
  EXPECT_EQ(p.fabric.link(0).traffic().frames, 2u);
  EXPECT_EQ(p.fabric.link(0).traffic().bits, 64u + 24u);
}

TEST(FabricRules, BadSpecsAreNamed) {
  Fabric fabric;
  fabric.add_node("x");
  const LinkSpec good{.latency = 1, .period = 1};
  try {
    fabric.connect({.latency = 0, .period = 1}, good, 0, 0);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(), "link x->x: latency is 0 ps; it must be more than 0 ps");
  }
  EXPECT_THROW(fabric.connect({.latency = 1, .period = 1, .drop_rate = 1.5}, good, 0, 0), UserError);
  EXPECT_THROW(fabric.connect(good, good, 0, 1), std::out_of_range);
}

TEST(FabricEnds, ANodeStopsTheRun) {
  Pair p;
  p.a->send_at(0, {1});
  p.a->send_at(100'000, {1});
  p.b->stop_after = 0;
  const RunResult r = run(p.fabric);
  EXPECT_EQ(r.reason, RunEnd::node_stop);
  EXPECT_EQ(r.end, 2000);
  EXPECT_TRUE(r.stuck.empty());
}

TEST(FabricEnds, QuietWithWaitersIsStuck) {
  Pair p;
  p.a->send_at(0, {1});
  p.b->waits = "a credit\nfrom a";
  const RunResult r = run(p.fabric);
  EXPECT_EQ(r.stuck, (std::vector<std::string>{"b: a credit from a"}));
  EXPECT_FALSE(r.stopped_by_limit);
}

TEST(FabricEnds, ARunGoesOnWhereItStopped) {
  const auto script = [](Pair& p) {
    for (Time t = 0; t < 50'000; t += 700) p.a->send_at(t, {static_cast<std::uint64_t>(t), 5});
  };
  Pair whole, parts;
  script(whole), script(parts);
  run(whole.fabric);
  for (Time limit = 0; limit < 60'000; limit += 333) run(parts.fabric, {.limit = limit});
  run(parts.fabric);
  ASSERT_EQ(whole.b->seen.size(), parts.b->seen.size());
  for (std::size_t i = 0; i < whole.b->seen.size(); ++i) EXPECT_EQ(whole.b->seen[i].at, parts.b->seen[i].at);
  EXPECT_EQ(whole.fabric.link(0).digest(), parts.fabric.link(0).digest());
}

TEST(FabricEnds, AnInterruptStopsAnEndlessRun) {
  Pair p;
  std::atomic<bool> interrupt = false;
  std::function<void(Time)> again = [&](Time t) {
    if (t > 1'000'000) interrupt = true;
    p.a->at(t + 1000, again);
  };
  p.a->at(0, again);
  int calls = 0;
  const RunResult r = run(p.fabric, {.progress = [&](Time) { ++calls; }, .interrupt = &interrupt});
  EXPECT_EQ(r.reason, RunEnd::interrupted);
  EXPECT_GE(calls, 1);
  EXPECT_LT(calls, 100);
}

TEST(FabricEnds, WhatANodeThrowsComesOut) {
  Pair p;
  p.a->at(3000, [](Time) { throw UserError("the program divides by zero"); });
  EXPECT_THROW(run(p.fabric), UserError);
  EXPECT_THROW(run(p.fabric), std::logic_error);
}

TEST(FabricEnds, MissingNodesAndEnginesAreNamed) {
  Fabric fabric;
  fabric.add_node("lonely");
  EXPECT_THROW(run(fabric), std::logic_error);
  Pair p;
  EXPECT_THROW(run(p.fabric, {.kind = EngineKind::mpi}), UserError);
  EXPECT_THROW(run(p.fabric, {.kind = EngineKind::threads, .threads = 0}), UserError);
}

TEST(FabricCounters, NamesAreStable) {
  Pair p;
  p.a->send_at(0, {1, 2});
  const RunResult r = run(p.fabric, {.collect_counters = true});
  ASSERT_EQ(r.counters.size(), 2u + 12u);
  EXPECT_EQ(r.counters[1], (std::pair<std::string, std::uint64_t>("node.words", 2)));
  EXPECT_EQ(r.counters[2].first, "link.a->b.frames");
  EXPECT_EQ(r.counters[4], (std::pair<std::string, std::uint64_t>("link.a->b.words", 2)));
}

TEST(FabricDigest, SeesOneChangedBitAndOneChangedTime) {
  const auto digest = [](Time t, std::uint64_t word) {
    Pair p;
    p.a->send_at(t, {word, 1});
    return run(p.fabric).digest;
  };
  EXPECT_EQ(digest(0, 1), digest(0, 1));
  EXPECT_NE(digest(0, 1), digest(0, 3));
  EXPECT_NE(digest(0, 1), digest(1, 1));
}

}  // namespace
}  // namespace polyloom::fabric
