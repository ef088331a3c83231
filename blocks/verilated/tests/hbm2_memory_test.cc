// SPDX-License-Identifier: Apache-2.0
// Covers: latencies at N-1 and N, full rate of a read and a write stream in different halves, sharing of one
// half, bytes and strobes, channels of one store. Leaves out: the channel's arbiter alone
// (blocks/memory/tests).
#include "blocks/verilated/hbm2_memory.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

constexpr std::uint64_t kBytes = 1 << 16;
const Hbm2MemoryParams kHbm2Params{.channel = {.bytes = kBytes, .read_latency = 7, .write_latency = 5}};

std::unique_ptr<AxiMemory> make(std::uint64_t base = 0) {
  return make_hbm2_memory(kHbm2Params, std::make_shared<BackingStore>("", base + kBytes), base);
}

/// Runs one read burst and one write burst of `beats` from edge 10 on; the edges at which beats pass.
struct Streams {
  std::vector<Cycle> read, written;
  Cycle responded = 0;
};
Streams run_both(AxiMemory& memory, std::uint64_t read_at, std::uint64_t write_at, unsigned beats) {
  Streams s;
  const std::uint8_t data[32]{1, 2, 3}, strobe[4]{255, 255, 255, 255};
  bool sent = false;
  for (Cycle k = 10; k < 2000; ++k) {
    const AxiSlaveOut out = memory.outputs(k);
    AxiMasterOut from{.r_ready = true, .b_ready = true, .ar_addr = read_at, .aw_addr = write_at};
    from.ar_len = from.aw_len = static_cast<std::uint8_t>(beats - 1);
    from.ar_valid = from.aw_valid = !std::exchange(sent, true);
    from.w_valid = s.written.size() < beats;
    from.w_last = s.written.size() + 1 == beats;
    from.w_data = data, from.w_strobe = strobe;
    if (out.r_valid) s.read.push_back(k);
    if (out.w_ready && from.w_valid) s.written.push_back(k);
    if (out.b_valid) s.responded = k;
    memory.step(k, from);
  }
  EXPECT_TRUE(memory.idle());
  return s;
}

TEST(Hbm2Memory, StreamsInDifferentHalvesRunAtFullRate) {
  const auto memory = make();
  const Streams s = run_both(*memory, 0, kBytes / 2, 100);
  ASSERT_EQ(s.read.size(), 100u);
  for (Cycle i = 0; i < 100; ++i) {
    EXPECT_EQ(s.read[i], 10 + 7 + i);
    EXPECT_EQ(s.written[i], 10 + i);
  }
  EXPECT_EQ(s.responded, 10 + 99 + 5);
}

TEST(Hbm2Memory, StreamsInOneHalfShareIt) {
  const auto memory = make();
  const Streams s = run_both(*memory, 0, kBytes / 4, 100);
  ASSERT_EQ(s.read.size(), 100u);
  // Reads are granted at 10, 12, ..., 208, writes at the edges between.
  for (Cycle i = 0; i < 100; ++i) EXPECT_EQ(s.read[i], 10 + 2 * i + 7);
  EXPECT_EQ(s.responded, 11 + 2 * 99 + 5);
}

TEST(Hbm2Memory, ReadsWhatWasWrittenUnderStrobes) {
  const auto memory = make(4096);
  std::vector<std::uint8_t> before(64), got(32);
  std::iota(before.begin(), before.end(), std::uint8_t{100});
  memory->write(960, before);
  const std::uint8_t data[32]{1, 2, 3, 4, 5}, strobe[4]{0x0b, 0, 0, 0};
  for (Cycle k = 0; k < 30; ++k) {
    const AxiSlaveOut out = memory->outputs(k);
    if (out.r_valid) {
      EXPECT_EQ(k, 20u + 7);
      EXPECT_TRUE(out.r_last);
      got.assign(out.r_data, out.r_data + 32);
    }
    memory->step(k, {.ar_valid = k == 20,
                     .aw_valid = k == 0,
                     .w_valid = k == 3,
                     .w_last = true,
                     .r_ready = true,
                     .b_ready = true,
                     .ar_addr = 960,
                     .aw_addr = 960,
                     .w_data = data,
                     .w_strobe = strobe});
  }
  std::vector<std::uint8_t> expected(before.begin(), before.begin() + 32);
  expected[0] = 1, expected[1] = 2, expected[3] = 4;
  EXPECT_EQ(got, expected);
  EXPECT_THROW(memory->step(31, {.ar_valid = true, .ar_addr = kBytes}), UserError);
}

TEST(Hbm2Memory, ReadsPauseWhenNothingAcceptsThem) {
  const auto memory = make();
  std::uint64_t taken = 0;
  for (Cycle k = 0; k < 1000; ++k) {
    const AxiSlaveOut out = memory->outputs(k);
    const bool ready = k >= 500;
    taken += out.r_valid && ready;
    memory->step(k, {.ar_valid = k == 0, .r_ready = ready, .ar_len = 255});
    if (k == 499) {
      std::uint64_t granted = 0;
      memory->counters(
          "m", [&](std::string_view name, std::uint64_t v) { granted += name == "m.beats_read" ? v : 0; });
      EXPECT_EQ(granted, 7u + 64);
    }
  }
  EXPECT_EQ(taken, 256u);
}

}  // namespace
}  // namespace polyloom::blocks
