// SPDX-License-Identifier: Apache-2.0
// Covers: what a run says of itself: simulated time, work of all nodes, rate since the last line, time left
// where an end is known; numbers in short. Leaves out: when a line is shown, and where
// (tests/test_progress.py).
#include "sim/progress.h"

#include <gtest/gtest.h>

namespace polyloom::simulator {
namespace {

constexpr fabric::Time kMs = 1'000'000'000;

class Worker final : public fabric::Node {
 public:
  explicit Worker(std::uint64_t n) : n_(n) {}
  void advance(fabric::Time) override {}
  fabric::Time next_event() const override { return fabric::kNever; }
  void counters(const fabric::CounterSink& sink) const override {
    sink("fpga.tile.0.core.1.instret", 1000 * n_);
    sink("fpga.instructions", 500 * n_);
    sink("fpga.barriers", n_);
    sink("fpga.idle_cycles", 77);
  }

 private:
  std::uint64_t n_;
};

TEST(Progress, SaysWhatWasDoneAndHowFast) {
  fabric::Fabric fabric;
  for (const std::uint64_t n : {2, 3}) {
    const int id = fabric.add_node("node" + std::to_string(n));
    fabric.set_node(id, std::make_unique<Worker>(n));
  }
  Progress progress(fabric, 250'000'000, 100 * kMs);
  // 10 ms are 2.5 million cycles; 90 ms are left at 10 ms in 5 s.
  EXPECT_EQ(progress.text(10 * kMs, 5),
            "simulated 10.000 ms, 7.50 k instructions, 3 supersteps, 0 B over links; 500 k cycles/s; 10 % of "
            "the limit, "
            "at most 45 s left");
  // The rate is that since the last line: 40 ms in 5 s.
  const std::string later = progress.text(50 * kMs, 10);
  EXPECT_NE(later.find("2.00 M cycles/s; 50 % of the limit, at most 6 s left"), std::string::npos) << later;
}

TEST(Progress, ARunWithoutALimitSaysItsRateOnly) {
  fabric::Fabric fabric;
  Progress progress(fabric, 250'000'000, fabric::kNever);
  EXPECT_EQ(progress.text(4 * kMs, 2), "simulated 4.000 ms, 0 B over links; 500 k cycles/s");
}

TEST(ShortNumber, HasThreeDigits) {
  using fabric::short_number;
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(1000), "1.00 k");
  EXPECT_EQ(short_number(12'345), "12.3 k");
  EXPECT_EQ(short_number(999'499), "999 k");
  EXPECT_EQ(short_number(999'500), "1.00 M");
  EXPECT_EQ(short_number(2.5e12, "B"), "2.50 TB");
  EXPECT_EQ(short_number(17, "B"), "17 B");
}

}  // namespace
}  // namespace polyloom::simulator
