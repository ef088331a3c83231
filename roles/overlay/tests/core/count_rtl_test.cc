// SPDX-License-Identifier: Apache-2.0
// Covers: polyloom_overlay_count beside an adder in each cycle, with gaps, and with clears in every phase.
// Leaves out: the topmost bits, which would take days. Usage: program SEED
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include "Vpolyloom_overlay_count.h"

int main(int argc, char** argv) {
  constexpr std::uint64_t kCycles = 3'000'000;  // so that 13 of the upper bits change
  constexpr std::uint64_t kBits = (std::uint64_t{1} << 40) - 1;
  std::mt19937_64 rng(argc > 1 ? std::stoull(argv[1]) : 1);
  Vpolyloom_overlay_count top;
  std::uint64_t want = 0, counts = 0, clears = 0;
  for (std::uint64_t i = 0; i < kCycles; ++i) {
    // Clears come close together in the beginning, so that they meet every phase; seldom later.
    top.clear_i = i == 0 || (i < kCycles / 3 && rng() % 700 == 0);
    top.first_i = rng() % 2;
    top.count_i = i > kCycles / 2 || rng() % 3 != 0;
    want = top.clear_i ? top.first_i : (want + top.count_i) & kBits;
    counts += top.count_i;
    clears += top.clear_i;
    top.clk_i = 0, top.eval();
    top.clk_i = 1, top.eval();
    if (top.value_o != want) {
      std::fprintf(stderr, "cycle %llu: %llu, not %llu\n", (unsigned long long)i,
                   (unsigned long long)top.value_o, (unsigned long long)want);
      return 1;
    }
  }
  std::printf("counts %llu clears %llu value %llu\n", (unsigned long long)counts, (unsigned long long)clears,
              (unsigned long long)want);
}
