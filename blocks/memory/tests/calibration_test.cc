// SPDX-License-Identifier: Apache-2.0
// Covers: memory throughputs of the Tinsel paper (V, Fig. 9) within 10 %; ours beats the published one.
// Leaves out: interleaved arrays at their drifted rate (README), real cores and caches (bench/calibration).
#include <gtest/gtest.h>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "blocks/memory/tests/increment_load.h"

namespace polyloom::blocks {
namespace {

/// GB/s of a board: two slices.
double dram_rate(const DramParams& p, bool interleaved) {
  MemoryBus bus;
  Dram dram(p, &bus);
  IncrementLoad load;
  load.line_bytes = p.request_bytes;
  load.interleaved = interleaved;
  return 2 * run_increment<Dram>(load, {&dram}, bus, p.core_hz, 10000, 40000) / 1e9;
}

TEST(Calibration, PublishedDramThroughput) {
  EXPECT_NEAR(dram_rate(DramParams::ddr3_1600_published(32), false), 7.8, 0.78);
  EXPECT_NEAR(dram_rate(DramParams::ddr3_1600_published(64), false), 10.2, 1.02);
}

TEST(Calibration, PublishedSramThroughput) {
  MemoryBus bus;
  SramParams p = SramParams::qdr2();
  Sram a(p, &bus), b(p, &bus);
  EXPECT_NEAR(2 * run_increment<Sram>(IncrementLoad{}, {&a, &b}, bus, p.core_hz, 10000, 40000) / 1e9, 13.0,
              1.3);
}

TEST(Calibration, OursIsFaster) {
  for (const unsigned line : {32u, 64u}) {
    for (const bool interleaved : {false, true}) {
      EXPECT_GT(dram_rate(DramParams::ddr3_1600(line), interleaved),
                1.03 * dram_rate(DramParams::ddr3_1600_published(line), interleaved));
    }
  }
}

}  // namespace
}  // namespace polyloom::blocks
