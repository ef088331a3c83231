// SPDX-License-Identifier: Apache-2.0
// Prints the increment benchmark for the named presets, sweeps the free parameters, and times the models.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "blocks/memory/tests/increment_load.h"

using namespace polyloom::blocks;

namespace {

double dram_rate(const DramParams& p, bool interleaved) {
  MemoryBus bus;
  Dram dram(p, &bus);
  IncrementLoad load;
  load.line_bytes = p.request_bytes;
  load.interleaved = interleaved;
  const double rate = run_increment<Dram>(load, {&dram}, bus, p.core_hz, 20000, 100000);
  if (std::getenv("VERBOSE")) {
    const auto& c = dram.counters();
    std::printf("   act/req %.2f bursts/req %.2f\n", double(c.activates) / double(c.reads + c.writes),
                double(c.bursts) / double(c.reads + c.writes));
  }
  return 2 * rate / 1e9;
}

double sram_rate(const SramParams& p) {
  MemoryBus bus;
  Sram a(p, &bus), b(p, &bus);
  IncrementLoad load;
  load.line_bytes = p.request_bytes;
  return 2 * run_increment<Sram>(load, {&a, &b}, bus, p.core_hz, 20000, 100000) / 1e9;
}

double nanoseconds_per_request() {
  Dram dram(DramParams::ddr3_1600_published());
  std::mt19937 rng(7);
  std::uint64_t served = 0, id = 0;
  const auto start = std::chrono::steady_clock::now();
  for (Cycle c = 0; c < 8'000'000; c += 8) {
    for (Cycle i = c; i < c + 8; ++i) {
      if (dram.submit(i, std::uint64_t{rng() & 0x7fffffe0u}, rng() & 1, static_cast<std::uint32_t>(id))) ++id;
    }
    dram.advance(c + 8, [&](std::uint32_t, Cycle) { ++served; });
  }
  const std::chrono::duration<double, std::nano> t = std::chrono::steady_clock::now() - start;
  return t.count() / static_cast<double>(served);
}

}  // namespace

int main() {
  const bool sweep = std::getenv("SWEEP") != nullptr;
  for (const bool inter : {false, true}) {
    std::printf("DDR3 published 32 B: %.2f  64 B: %.2f GB/s   ours 32 B: %.2f 64 B: %.2f (%s)\n",
                dram_rate(DramParams::ddr3_1600_published(32), inter),
                dram_rate(DramParams::ddr3_1600_published(64), inter),
                dram_rate(DramParams::ddr3_1600(32), inter), dram_rate(DramParams::ddr3_1600(64), inter),
                inter ? "interleaved" : "2 MiB apart");
  }
  std::printf("QDRII+ %.2f GB/s\n", sram_rate(SramParams::qdr2()));
  std::printf("host time %.1f ns a request\n", nanoseconds_per_request());
  if (!sweep) return 0;
  for (unsigned window : {12u, 14u, 16u, 18u, 20u}) {
    for (unsigned queue : {2u, 3u, 4u, 5u}) {
      std::printf("window %2u beat_clocks %u:", window, queue);
      for (const bool inter : {false, true}) {
        for (const unsigned line : {32u, 64u}) {
          DramParams p = DramParams::ddr3_1600_published(line);
          p.window_beats = window, p.queue = 32, p.beat_clocks = queue;
          std::printf("  %5.2f", dram_rate(p, inter));
        }
      }
      std::printf("\n");
    }
  }
}
