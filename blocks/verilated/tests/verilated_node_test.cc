// SPDX-License-Identifier: Apache-2.0
// Covers: at which edge a Verilated node sees beats, pulses, host words and memory responses, and when what it
// sends leaves (each at N-1 and N); keep and short frames; errors of design and user; waves. The expected
// times come from README.md's rules by hand. Leaves out: engines (verilated_engines_test.cc), the lane's FIFO
// alone (lane_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "blocks/verilated/tests/demo_cluster.h"
#include "fabric/error.h"

namespace polyloom::blocks::testing {
namespace {

using namespace fabric;

constexpr Time kCycle = 4000;  // 250 MHz
constexpr LinkSpec kFast{.latency = 100'000, .period = 1000};

std::vector<std::uint64_t> counting(std::size_t words, std::uint64_t from = 0) {
  std::vector<std::uint64_t> result(words);
  std::iota(result.begin(), result.end(), from);
  return result;
}

TEST(VerilatedNode, ABeatIsSeenAtTheEdgeAtWhichItsLastWordIsThere) {
  for (const Time late : {0, 1}) {
    Bench bench(wide_shape(), kFast);
    bench.probe->send(0, 1000 + late, counting(4, 7));  // last word arrives at 104 ns, edge 26, or 1 ps later
    run(bench.fabric);
    const auto& words = bench.probe->words[1];  // Shift 1
    ASSERT_EQ(words.size(), 4u);
    for (unsigned i = 0; i < 4; ++i) {
      // Taken at edge 26 (27), leaves at the next edge.
      const Time leaves = (27 + late) * kCycle;
      EXPECT_EQ(words[i], (Probe::Word{leaves + kFast.latency + i * kFast.period, 7 + i, i == 3, 8}));
    }
  }
}

TEST(VerilatedNode, WindowsMayBeShorterThanACycle) {
  for (const Time latency : {300, 1000, 3999, 4001}) {  // the windows are no longer
    Bench bench(wide_shape(), {.latency = latency, .period = 1000});
    bench.probe->send(0, 0, counting(40));
    bench.probe->send(1, 777, {});
    run(bench.fabric);
    const Clock clock(250'000'000);
    const auto& words = bench.probe->words[1];
    ASSERT_EQ(words.size(), 40u);
    for (unsigned i = 0; i < 40; i += 4) {
      const Time leaves = clock.edge(clock.first_edge_from((i + 3) * 1000 + latency) + 1);
      EXPECT_EQ(words[i].time, leaves + latency) << latency << " word " << i;
    }
    const Time pulse = clock.edge(clock.first_edge_from(777 + latency) + 1) + latency;
    EXPECT_EQ(bench.probe->pulses[0], std::vector<Time>{pulse}) << latency;
  }
}

TEST(VerilatedNode, ANarrowLanePassesEachWordAlone) {
  for (const Time late : {0, 1}) {
    Bench bench(narrow_shape(), {.latency = 100'000, .period = 4000});
    bench.probe->send(2, 4000 + late, counting(5, 1), 3);
    run(bench.fabric);
    const auto& words = bench.probe->words[2];
    ASSERT_EQ(words.size(), 5u);
    for (unsigned i = 0; i < 5; ++i) {
      EXPECT_EQ(words[i], (Probe::Word{(27 + late + i) * kCycle + 100'000, 1 + i, i == 4, i == 4 ? 3u : 8u}));
    }
  }
}

TEST(VerilatedNode, ShortLastBeatsKeepTheirBytes) {
  for (unsigned words = 1; words <= 9; ++words) {
    for (const unsigned keep : {1u, 5u, 8u}) {
      Bench bench(wide_shape(), kFast);
      bench.probe->send(1, 0, counting(words, 100), keep);
      run(bench.fabric);
      const auto& got = bench.probe->words[0];
      ASSERT_EQ(got.size(), words);
      for (unsigned i = 0; i < words; ++i) EXPECT_EQ(got[i].value, 100 + i);
      EXPECT_TRUE(got.back().last);
      EXPECT_EQ(got.back().keep, keep);
    }
  }
}

TEST(VerilatedNode, PulsesComeOneACycleInOrder) {
  for (const Time late : {0, 1}) {
    Bench bench(wide_shape(), kFast);
    for (const Time extra : {0, 1, 2}) bench.probe->send(0, 4000 + late + extra, {});
    run(bench.fabric);
    std::vector<Time> expected;
    // At 104 ns the first is seen by edge 26, the others by 27 and 28; 1 ps later all begin at 27.
    for (const Time edge : {27, 28, 29}) expected.push_back((edge + late) * kCycle + kFast.latency);
    EXPECT_EQ(bench.probe->pulses[1], expected);
  }
}

TEST(VerilatedNode, AStreamLeavesBackToBackAtTheLinksRate) {
  for (const Time period : {999, 1000, 1001, 1500, 7000}) {
    Bench bench(wide_shape(), {.latency = 100'000, .period = period});
    const std::uint64_t beats = 50;
    bench.probe->send(2, 0, {1, beats, 0});
    run(bench.fabric);
    const auto& words = bench.probe->words[0];
    ASSERT_EQ(words.size(), 4 * beats);
    // The command's words are taken one an edge, the third at the latest of these; the stream is valid before
    // the next.
    const Clock clock(250'000'000);
    std::uint64_t third = 0;
    for (unsigned i = 0; i < 3; ++i)
      third = std::max(third, clock.first_edge_from(100'000 + i * period) + 2 - i);
    const Time first = clock.edge(third + 1) + 100'000;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Time beat = static_cast<Time>(i / 4) * std::max(kCycle, 4 * period);
      EXPECT_EQ(words[i].time, first + beat + static_cast<Time>(i % 4) * period) << period << " word " << i;
      EXPECT_EQ(words[i].value, 256 * (i / 4) + i % 4);
      EXPECT_EQ(words[i].last, i + 1 == words.size());
    }
  }
}

TEST(VerilatedNode, TheHostGetsItsResponseAndTheCycleNumber) {
  for (const Time late : {0, 1}) {
    Bench bench(wide_shape(), {.latency = 100'000, .period = 4000});
    bench.probe->send(2, 396'000 + late, {3, 0, 0});  // third word at 504 ns: edge 126
    run(bench.fabric);
    const std::uint64_t edge = 127 + static_cast<std::uint64_t>(late);
    const std::vector<Probe::Word> expected{
        {static_cast<Time>(edge) * kCycle + kFast.latency, edge, true, 8}};
    EXPECT_EQ(bench.probe->words[2], expected);
    EXPECT_LT(bench.dut().edges_run(), 20u);  // the edges before were skipped, but counted
  }
}

TEST(VerilatedNode, ACopyTakesTheMemorysLatencies) {
  for (const unsigned channel : {0u, 1u}) {
    for (const unsigned beats : {1u, 2u, 16u, 256u}) {
      Bench bench(narrow_shape(), kFast);
      AxiMemory& memory = bench.dut().memory(channel);
      std::vector<std::uint8_t> data(8 * beats), got(8 * beats);
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 37 + channel);
      memory.write(512, data);
      bench.probe->send(3, 2000,
                        {2, std::uint64_t{beats - 1} << 56 | 512, std::uint64_t{channel} << 48 | 4096});
      run(bench.fabric);
      memory.read(4096, got);
      EXPECT_EQ(got, data);
      // Words at edges 26, 27, 28; AR at 29, R and W from 29 + 8 on, B 4 after the last, done and response 1
      // later each.
      const std::uint64_t response = 29 + 8 + (beats - 1) + 4 + 1 + 1;
      ASSERT_EQ(bench.probe->words[3].size(), 1u);
      EXPECT_EQ(bench.probe->words[3][0].value, response) << beats;
    }
  }
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(VerilatedNode, AnAssertionEndsTheRunWithItsText) {
  Bench bench(wide_shape(), kFast);
  bench.probe->send(2, 0, {4, 0, 0});
  const std::string error = error_of([&] { run(bench.fabric); });
  EXPECT_NE(error.find("dut: "), std::string::npos) << error;
  EXPECT_NE(error.find("demo_node: the host asked for a failure"), std::string::npos) << error;
  EXPECT_NE(error.find("demo_node.sv"), std::string::npos) << error;
}

TEST(VerilatedNode, ANodeThatDoesNotFitItsTopIsRefused) {
  const auto make = [](std::size_t lanes, unsigned beat_bytes, std::size_t channels) {
    return error_of([&] {
      VerilatedParams params;
      params.name = "n";
      params.shape = wide_shape();
      params.lanes.resize(lanes);
      std::vector<std::unique_ptr<AxiMemory>> memories;
      for (std::size_t c = 0; c < channels; ++c)
        memories.push_back(make_fixed_memory({.beat_bytes = beat_bytes}));
      VerilatedNode node(std::move(params), std::move(memories));
    });
  };
  EXPECT_EQ(make(2, 32, 1), "");
  EXPECT_EQ(make(3, 32, 1), "n: the top demo_node has 2 lanes, the node needs 3");
  EXPECT_EQ(make(2, 32, 2), "n: the top demo_node has 1 memory channels, the node needs 2");
  EXPECT_NE(make(2, 64, 1).find("port mem_r_data_i is 256 bits wide, not 512"), std::string::npos);
}

TEST(VerilatedNode, AMissingPythonIsNamed) {
  ::setenv("POLYLOOM_PYTHON", "/nowhere/python", 1);
  RtlShape shape = wide_shape();
  shape.parameters["Shift"] = "17";
  const std::string error = error_of([&] { build_rtl(shape); });
  ::unsetenv("POLYLOOM_PYTHON");
  EXPECT_EQ(error, "cannot start /nowhere/python: No such file or directory");
}

TEST(VerilatedNode, WhatVerilatorRefusesIsTold) {
  RtlShape shape = wide_shape();
  shape.top = "no_such_top";
  const std::string error = error_of([&] { build_rtl(shape); });
  EXPECT_NE(error.find("Verilator refuses no_such_top"), std::string::npos) << error;
}

TEST(VerilatedNode, WavesAreWrittenForTheSpanAskedFor) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("polyloom-wave-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::uintmax_t sizes[2];
  for (const int whole : {0, 1}) {
    const WaveRequest wave{"dut", 0, whole ? kNever : 120'000, (folder / "dut.fst").string()};
    std::uint64_t traced = 0;
    {
      Bench bench(wide_shape(), kFast, 250'000'000, &wave);
      bench.probe->send(2, 0, {1, 400, 0});
      traced = run(bench.fabric).digest;
    }
    sizes[whole] = std::filesystem::file_size(wave.path);
    Bench plain(wide_shape(), kFast);
    plain.probe->send(2, 0, {1, 400, 0});
    EXPECT_EQ(run(plain.fabric).digest, traced);  // looking changes nothing
  }
  EXPECT_GT(sizes[0], 100u);
  EXPECT_GT(sizes[1], sizes[0] + 500);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace polyloom::blocks::testing
