// SPDX-License-Identifier: Apache-2.0
// Covers: latencies at N-1 and N, one beat a cycle, strobes, waiting masters, data before their address, bad
// requests. Leaves out: Verilated masters (verilated_node_test.cc).
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "blocks/verilated/axi_memory.h"
#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

constexpr FixedMemoryParams kParams{
    .bytes = 4096, .beat_bytes = 16, .read_latency = 5, .write_latency = 3, .bursts = 2};

std::vector<std::uint8_t> bytes(std::size_t n, unsigned from) {
  std::vector<std::uint8_t> result(n);
  std::iota(result.begin(), result.end(), static_cast<std::uint8_t>(from));
  return result;
}

TEST(FixedMemory, ReadsComeAfterTheLatencyOneACycle) {
  const auto memory = make_fixed_memory(kParams);
  memory->write(32, bytes(64, 1));
  for (Cycle k = 100; k < 120; ++k) {
    const AxiSlaveOut& out = memory->outputs(k);
    const bool valid = k >= 105 && k <= 108;
    ASSERT_EQ(out.r_valid, valid) << k;
    if (valid) {
      const auto expected = bytes(16, 1 + 16 * static_cast<unsigned>(k - 105));
      EXPECT_EQ(std::memcmp(out.r_data, expected.data(), 16), 0);
      EXPECT_EQ(out.r_last, k == 108);
    }
    memory->step(k, {.ar_valid = k == 100, .r_ready = true, .ar_addr = 32, .ar_len = 3});
  }
  EXPECT_TRUE(memory->idle());
}

TEST(FixedMemory, AReadWaitsForItsMasterAndForItsPlace) {
  const auto memory = make_fixed_memory(kParams);
  std::vector<Cycle> accepted, taken;
  for (Cycle k = 0; k < 60; ++k) {
    const AxiSlaveOut out = memory->outputs(k);
    const bool ready = k % 3 == 0;
    if (out.ar_ready && accepted.size() < 4) accepted.push_back(k);
    if (out.r_valid && ready) taken.push_back(k);
    memory->step(k, {.ar_valid = out.ar_ready && accepted.back() == k, .r_ready = ready, .ar_len = 1});
  }
  // Two may be under way; the third comes in the cycle after the first's last beat was taken.
  EXPECT_EQ(taken, (std::vector<Cycle>{6, 9, 12, 15, 18, 21, 24, 27}));
  EXPECT_EQ(accepted, (std::vector<Cycle>{0, 1, 10, 16}));
}

TEST(FixedMemory, WritesResponseAfterTheLastBeat) {
  const auto memory = make_fixed_memory(kParams);
  const auto data = bytes(16, 50);
  const std::uint8_t strobe[2] = {0x0f, 0x80};
  for (Cycle k = 0; k < 20; ++k) {
    const bool valid = memory->outputs(k).b_valid;
    EXPECT_EQ(valid, k == 9 || k == 10)
        << k;  // the address comes at 6, after the data; taken at the second chance
    memory->step(k, {.aw_valid = k == 6,
                     .w_valid = k == 2 || k == 4,
                     .w_last = k == 4,
                     .b_ready = k != 9,
                     .aw_addr = 160,
                     .aw_len = 1,
                     .w_data = data.data(),
                     .w_strobe = strobe});
  }
  EXPECT_TRUE(memory->idle());
  std::vector<std::uint8_t> got(48);
  memory->read(144, got);
  for (unsigned i = 0; i < 48; ++i) {
    const unsigned in_beat = i % 16;
    const bool written = i >= 16 && (in_beat < 4 || in_beat == 15);
    EXPECT_EQ(got[i], written ? 50 + in_beat : 0) << i;
  }
}

TEST(FixedMemory, RefusesWhatAMemoryCannotDo) {
  const auto refused = [](AxiMasterOut from) {
    const auto memory = make_fixed_memory(kParams);
    memory->outputs(0);
    try {
      memory->step(0, from);
    } catch (const UserError&) {
      return true;
    }
    return false;
  };
  const std::uint8_t data[16]{}, strobe[2]{};
  EXPECT_FALSE(refused({.ar_valid = true, .ar_addr = 4096 - 32, .ar_len = 1}));
  EXPECT_TRUE(refused({.ar_valid = true, .ar_addr = 4096 - 32, .ar_len = 2}));
  EXPECT_TRUE(refused({.ar_valid = true, .ar_addr = 8}));
  EXPECT_TRUE(refused({.aw_valid = true, .aw_addr = 4096}));
  EXPECT_FALSE(
      refused({.aw_valid = true, .w_valid = true, .w_last = true, .w_data = data, .w_strobe = strobe}));
  EXPECT_TRUE(
      refused({.aw_valid = true, .w_valid = true, .w_last = false, .w_data = data, .w_strobe = strobe}));
}

}  // namespace
}  // namespace polyloom::blocks
