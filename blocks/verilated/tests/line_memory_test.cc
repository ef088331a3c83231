// SPDX-License-Identifier: Apache-2.0
// Covers: requests over AXI have the cycles that the channel's timing model gives them alone, DRAM and SRAM,
// lines of one and two beats; order by id, data before service; strobes; a shared bus; a master that lets R
// wait; bad requests. Leaves out: the timing itself (blocks/memory/tests), Verilated masters
// (overlay_rtl_memory_test).
#include "blocks/verilated/line_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

std::shared_ptr<BackingStore> store(std::uint64_t bytes) {
  return std::make_shared<BackingStore>("test", bytes);
}

/// Random requests over AXI, and the same, at the same cycles, given to the timing model.
template <class Timing, class Params>
void same_cycles(AxiMemory& memory, const Params& params, unsigned seed) {
  Timing timing(params);
  std::mt19937 random(seed);
  const unsigned beats = params.request_bytes / 32;
  std::vector<std::uint8_t> data(32), strobe(4, 0xff);
  std::map<std::uint32_t, Cycle> expected, got;  // by id: the cycle of the last beat, or of B
  std::map<std::uint32_t, std::vector<std::uint8_t>> lines;
  unsigned owed = 0, out_of_order = 0;
  std::uint32_t next = 1, newest = 0;
  std::set<std::uint32_t> written;
  Cycle last_response = 0;
  for (Cycle k = 0; k < 6000; ++k) {
    timing.advance(k, [&](std::uint32_t id, Cycle c) {
      if (written.contains(id)) c = last_response = std::max(c, last_response + 1);  // one B a cycle
      expected[id] = c;
    });
    const AxiSlaveOut out = memory.outputs(k);
    AxiMasterOut to{.r_ready = true, .b_ready = true, .w_data = data.data(), .w_strobe = strobe.data()};
    if (out.r_valid && out.r_last) {
      got[out.r_id] = k;
      out_of_order += out.r_id < newest;
      newest = std::max(newest, out.r_id);
    }
    if (out.r_valid) {
      auto& line = lines[out.r_id];
      line.insert(line.end(), out.r_data, out.r_data + 32);
    }
    if (out.b_valid) got[out.b_id] = k;
    if (owed != 0) {  // the second beat of a write
      --owed;
      to.w_valid = to.w_last = true;
      ASSERT_TRUE(out.w_ready);
    } else if (out.ar_ready && k < 5000 && random() % 3 != 0) {
      ASSERT_TRUE(out.aw_ready && out.w_ready);
      const bool write = random() % 2 != 0;
      const unsigned address = random() % 64 * params.request_bytes;
      (write ? to.aw_valid : to.ar_valid) = true;
      to.w_valid = write, to.w_last = beats == 1;
      to.ar_addr = to.aw_addr = address, to.ar_len = to.aw_len = static_cast<std::uint8_t>(beats - 1);
      to.ar_id = to.aw_id = next;
      if (write) owed = beats - 1;
      ASSERT_TRUE(timing.submit(k, address, write, next));
      if (write) written.insert(next);
      ++next;
    }
    for (auto& b : data) b = static_cast<std::uint8_t>(random());
    memory.step(k, to);
  }
  EXPECT_TRUE(memory.idle());
  EXPECT_GT(next, 500u);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(out_of_order > 0, (std::is_same_v<Timing, Dram>));
  for (const auto& [id, line] : lines) ASSERT_EQ(line.size(), params.request_bytes);
}

TEST(LineMemory, DramOverAxiHasTheCyclesOfTheModel) {
  for (const unsigned line : {32u, 64u}) {
    SCOPED_TRACE(line);
    const DramParams params = DramParams::ddr3_1600(line);
    same_cycles<Dram>(*make_dram_memory(params, store(params.bytes), 0, nullptr), params, line);
  }
}

TEST(LineMemory, SramOverAxiHasTheCyclesOfTheModel) {
  for (const unsigned line : {32u, 64u}) {
    SCOPED_TRACE(line);
    const SramParams params = SramParams::qdr2(line);
    same_cycles<Sram>(*make_sram_memory(params, store(params.bytes), 0, nullptr), params, line);
  }
}

TEST(LineMemory, RequestsToALineActInTheirOrder) {
  const DramParams params = DramParams::ddr3_1600();
  const auto memory = make_dram_memory(params, store(params.bytes), 0, nullptr);
  std::mt19937 random(7);
  std::map<std::uint64_t, std::vector<std::uint8_t>> shadow;
  std::map<std::uint32_t, std::vector<std::uint8_t>> expected;
  std::uint32_t next = 0;
  unsigned compared = 0;
  for (Cycle k = 0; k < 4000; ++k) {
    const AxiSlaveOut out = memory->outputs(k);
    const bool take = random() % 3 != 0;
    if (out.r_valid && take) {
      const auto it = expected.find(out.r_id);
      ASSERT_NE(it, expected.end());
      ASSERT_EQ(std::memcmp(out.r_data, it->second.data(), 32), 0) << "read " << out.r_id;
      expected.erase(it);
      ++compared;
    }
    AxiMasterOut to{.r_ready = take, .b_ready = true};
    std::vector<std::uint8_t> data(32), strobe(4);
    if (out.ar_ready && k < 3500) {
      const std::uint64_t address = random() % 4 * 32;
      auto& line = shadow[address];
      line.resize(32);
      if (random() % 2 != 0) {
        to.aw_valid = to.w_valid = to.w_last = true;
        for (auto& b : data) b = static_cast<std::uint8_t>(random());
        for (auto& b : strobe) b = static_cast<std::uint8_t>(random());
        for (unsigned i = 0; i < 32; ++i) {
          if (strobe[i / 8] >> (i % 8) & 1) line[i] = data[i];
        }
      } else {
        to.ar_valid = true;
        expected[next] = line;
      }
      to.ar_addr = to.aw_addr = address;
      to.ar_id = to.aw_id = next++;
    }
    to.w_data = data.data(), to.w_strobe = strobe.data();
    memory->step(k, to);
  }
  EXPECT_TRUE(expected.empty());
  EXPECT_GT(compared, 300u);
}

TEST(LineMemory, MemoriesOfASliceShareItsBus) {
  const auto bus = std::make_shared<MemoryBus>();
  const SramParams params = SramParams::qdr2();
  const auto a = make_sram_memory(params, store(params.bytes), 0, bus);
  const auto b = make_sram_memory(params, store(params.bytes), 0, bus);
  std::vector<Cycle> done(2);
  for (Cycle k = 0; k < 100; ++k) {
    std::array<AxiMemory*, 2> both{a.get(), b.get()};
    for (unsigned i = 0; i < 2; ++i) {
      const AxiSlaveOut& out = both[i]->outputs(k);
      if (out.r_valid) done[i] = k;
    }
    // Both are asked in one cycle, which the bus does not carry: the second goes a cycle later.
    for (AxiMemory* m : both) m->step(k, {.ar_valid = k == 10, .r_ready = true});
  }
  EXPECT_GT(done[0], 10u);
  EXPECT_EQ(done[1], done[0] + 1);
}

TEST(LineMemory, WhatItCannotDoIsAnError) {
  const DramParams params = DramParams::ddr3_1600(64);
  const auto memory = make_dram_memory(params, store(params.bytes), 0, nullptr);
  memory->outputs(0);
  EXPECT_THROW(memory->step(0, {.ar_valid = true}), UserError);  // half a line
  EXPECT_THROW(memory->step(0, {.ar_valid = true, .ar_addr = 32, .ar_len = 1}), UserError);
  EXPECT_THROW(memory->step(0, {.ar_valid = true, .ar_addr = params.bytes, .ar_len = 1}), UserError);
  memory->step(0, {.ar_valid = true, .ar_len = 1, .ar_id = 5});
  memory->outputs(1);
  EXPECT_THROW(memory->step(1, {.ar_valid = true, .ar_addr = 64, .ar_len = 1, .ar_id = 5}), UserError);
  EXPECT_THROW(make_dram_memory(params, store(params.bytes), 0, nullptr, 48), UserError);
  EXPECT_THROW(make_dram_memory(params, store(params.bytes / 2), 0, nullptr), UserError);
}

}  // namespace
}  // namespace polyloom::blocks
