// SPDX-License-Identifier: Apache-2.0
// Covers: when a run in which something always happens is said to stand still, to the survey; what counts as
// work and ends no run; the same in threads. Leaves out: what roles count as work (their own tests),
// processes (wire_test.cc).
#include <gtest/gtest.h>

#include "fabric/fabric.h"

namespace polyloom::fabric {
namespace {

constexpr Time kTick = 700, kStandstill = 160'000, kLimit = 4'000'000;

/// Ticks for ever; works until `until`, and says so as `account` asks.
class Ticker final : public Node {
 public:
  enum class Account { counted, none, will };
  Ticker(Account account, Time works_until) : account_(account), works_until_(works_until) {}

  void advance(Time until) override {
    for (; next_ < until; next_ += kTick) work_ += next_ < works_until_;
  }
  Time next_event() const override { return next_; }
  std::optional<std::uint64_t> work() const override {
    if (account_ == Account::none) return std::nullopt;
    return account_ == Account::will ? kWillWork : work_;
  }
  std::string waiting_for() const override { return "the end of the world"; }

 private:
  Account account_;
  Time works_until_, next_ = 0;
  std::uint64_t work_ = 0;
};

/// Sleeps for ever, and gives no account.
class Sleeper final : public Node {
 public:
  void advance(Time) override {}
  Time next_event() const override { return kNever; }
};

RunResult run_with(Ticker::Account account, Time works_until, Time standstill = kStandstill,
                   unsigned threads = 1) {
  Fabric fabric;
  const int ticker = fabric.add_node("ticker"), idle = fabric.add_node("idle"),
            sleeper = fabric.add_node("sleeper");
  LinkSpec wire;
  wire.latency = 1000, wire.period = 10;
  fabric.connect(wire, wire, ticker, sleeper);
  fabric.set_node(ticker, std::make_unique<Ticker>(account, works_until));
  fabric.set_node(idle, std::make_unique<Ticker>(Ticker::Account::counted, 0));
  fabric.set_node(sleeper, std::make_unique<Sleeper>());
  EngineOptions options;
  options.kind = threads > 1 ? EngineKind::threads : EngineKind::serial;
  options.threads = threads;
  options.limit = kLimit;
  options.standstill = standstill;
  return run(fabric, options);
}

TEST(Standstill, EndsTheRunAndSaysWhoWaits) {
  for (const Time works_until : {Time{0}, Time{1'000'000}}) {
    const RunResult r = run_with(Ticker::Account::counted, works_until);
    EXPECT_EQ(r.reason, RunEnd::standstill);
    // Not before its time, and no more than a survey and some windows later.
    EXPECT_GE(r.end, works_until + kStandstill - kStandstill / kSurveys);
    EXPECT_LE(r.end, works_until + kStandstill + kStandstill / kSurveys + kSurveys * 2000);
    ASSERT_EQ(r.stuck.size(), 2u);
    EXPECT_EQ(r.stuck[0], "ticker: the end of the world");
  }
}

TEST(Standstill, IsTheSameInThreads) {
  const RunResult one = run_with(Ticker::Account::counted, 500'000);
  const RunResult two = run_with(Ticker::Account::counted, 500'000, kStandstill, 2);
  EXPECT_EQ(two.reason, RunEnd::standstill);
  EXPECT_EQ(one.end, two.end);
  EXPECT_EQ(one.digest, two.digest);
}

TEST(Standstill, WorkIsNone) {
  EXPECT_EQ(run_with(Ticker::Account::counted, kNever).reason, RunEnd::limit);
  EXPECT_EQ(run_with(Ticker::Account::none, 0).reason, RunEnd::limit)
      << "who gives no account works when it does";
  EXPECT_EQ(run_with(Ticker::Account::will, 0).reason, RunEnd::limit)
      << "it waits until a time, then goes on";
  EXPECT_EQ(run_with(Ticker::Account::counted, 0, kNever).reason, RunEnd::limit) << "nothing asked for it";
}

}  // namespace
}  // namespace polyloom::fabric
