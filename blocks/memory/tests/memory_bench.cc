// SPDX-License-Identifier: Apache-2.0
// Prints the increment benchmark for the named presets, sweeps the free parameters, and times the models.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

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

/// Host time of the model alone, kept busy with evictions and fetches of 512 arrays.
template <class Channel, class Params>
double nanoseconds_per_request(const Params& params, std::uint64_t address_mask) {
  std::mt19937 rng(7);
  struct Request {
    std::uint64_t addr;
    bool write;
  };
  std::vector<Request> requests;
  for (unsigned i = 0; i < 1'000'000; i += 2) {
    const std::uint64_t line =
        ((std::uint64_t{rng() % 512} << 21) + (i / 512 * 32u) + rng() % 64 * 32) & address_mask;
    requests.push_back({line, true});
    requests.push_back({(line + 1024) & address_mask, false});
  }
  Channel channel(params);
  std::size_t next = 0, served = 0;
  Cycle end = 0;
  const std::clock_t start = std::clock();  // CPU time: others may use the machine
  for (Cycle c = 0; served < requests.size(); c += 8) {
    for (Cycle i = c; i < c + 8 && next < requests.size(); ++i) {
      if (channel.submit(i, requests[next].addr, requests[next].write, static_cast<std::uint32_t>(next)))
        ++next;
    }
    channel.advance(c + 8, [&](std::uint32_t, Cycle at) { ++served, end = at; });
  }
  const double ns = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (std::getenv("VERBOSE"))
    std::printf("  %.2f cycles a request\n", static_cast<double>(end) / static_cast<double>(served));
  return ns / static_cast<double>(served);
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
  std::printf("host time a request: DRAM published %.1f ns, ours %.1f ns, SRAM %.1f ns\n",
              nanoseconds_per_request<Dram>(DramParams::ddr3_1600_published(), 0x7fffffff),
              nanoseconds_per_request<Dram>(DramParams::ddr3_1600(), 0x7fffffff),
              nanoseconds_per_request<Sram>(SramParams::qdr2(), 0x7fffff));
  if (!sweep) return 0;
  for (unsigned window : {12u, 14u, 16u, 18u, 20u, 32u}) {
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
