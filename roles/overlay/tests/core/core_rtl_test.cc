// SPDX-License-Identifier: Apache-2.0
// Covers: cycle by cycle, every output of the cores against core_model.h: random programs of all
//   instructions, faults and CSRs on all threads, units that respond after random times on several ports at
//   once, events that wait, host requests amid it; instructions a cycle by number of threads; the cycle in
//   which an answered thread issues.
// Leaves out: the order of a word's patch and its fetch by the other core in the same cycle, which is not
// defined.
#include <gtest/gtest.h>

#include <cstdlib>

#include "roles/overlay/tests/core/core_bench.h"
#include "roles/overlay/tests/core/core_programs.h"

namespace polyloom::overlay::test {
namespace {

unsigned rounds() {
  const char* text = std::getenv("ROUNDS");
  return text == nullptr ? 1 : static_cast<unsigned>(std::atoi(text));
}
std::uint64_t first_seed() {
  const char* text = std::getenv("POLYLOOM_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

void load(Bench& b, const std::vector<Word>& words, unsigned at) {
  for (unsigned i = 0; i < words.size(); ++i) {
    b.control({Control::write_instr, true, 0, at + i, words[i]});
  }
  b.settle();
}
void start(Bench& b, unsigned core, unsigned thread, std::uint32_t pc) {
  b.control({Control::start, false, core, thread, pc});
}
void start_all(Bench& b, unsigned threads, std::uint32_t pc) {
  for (unsigned k = 0; k < Bench::kCores; ++k) {
    for (unsigned t = 0; t < threads; ++t) start(b, k, t, pc);
  }
  b.settle();
}

TEST(Core, WhatItDoesIsWhatTheModelDoes) {
  constexpr unsigned kFirst = 32;
  std::uint64_t passed = 0, faults = 0, replays = 0, merged = 0, lost = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 6 * rounds(); ++seed) {
    SCOPED_TRACE("POLYLOOM_SEED=" + std::to_string(seed));
    Bench b({.seed = seed,
             .max_delay = seed % 3 == 0   ? 0u
                          : seed % 3 == 1 ? 4u
                                          : 30u,
             .event_stall = seed % 2 == 0 ? 1u : 40u});
    const RandomProgram program(seed, kFirst, Bench::kWords, Bench::kFpu);
    try {
      load(b, program.code(), kFirst);
      for (unsigned i = 0; i < kFirst; ++i)
        b.control({Control::write_instr, true, 0, i, jal(4 * static_cast<int>(program.body() - i), 0)});
      start_all(b, Bench::kThreads, 4 * kFirst);
      for (unsigned cycles = 0; cycles < 12000; cycles += 50) {
        b.run(50);
        // Threads that have stopped begin again, anywhere behind the first words.
        for (unsigned k = 0; k < Bench::kCores; ++k) {
          for (unsigned t = 0; t < Bench::kThreads; ++t) {
            const bool ready = b.thread(k, t).passes > program.body() - kFirst;
            if (b.thread(k, t).on || b.random(4) != 0) continue;
            start(b, k, t, 4 * (ready ? program.body() + b.random(Bench::kWords - program.body()) : kFirst));
          }
        }
        const unsigned core = b.random(Bench::kCores);
        if (b.random(4) == 0)
          b.control({Control::read_instr, false, core / 2, b.random(Bench::kWords + 9), 0});
        b.control({Control::uart, b.random(50) == 0, core, b.random(Bench::kThreads), b.random(256)});
      }
    } catch (const Mismatch& m) {
      FAIL() << m.what();
    }
    passed += b.passed, faults += b.faults, replays += b.replays, merged += b.merged, lost += b.lost;
  }
  std::printf("%llu instructions, %llu faults, %llu times round again, %llu responses written late\n",
              static_cast<unsigned long long>(passed), static_cast<unsigned long long>(faults),
              static_cast<unsigned long long>(replays), static_cast<unsigned long long>(merged));
  EXPECT_GT(passed, 1000u * Bench::kThreads);
  EXPECT_GT(faults, 100u);
  EXPECT_GT(lost, 100u);
}

/// Threads that only compute.
TEST(Core, InstructionsACycle) {
  for (const unsigned threads : {1u, 4u, 8u, 12u, 16u}) {
    if (threads > Bench::kThreads) continue;
    Bench b({.seed = 7});
    load(b, {addi(1, 0, 1), addi(1, 1, 1), jal(-4, 0)}, 0);
    start_all(b, threads, 0);
    b.run(100);
    const std::uint64_t before = b.issued;
    b.run(8000);
    const double rate = static_cast<double>(b.issued - before) / (8000.0 * Bench::kCores);
    EXPECT_DOUBLE_EQ(rate, std::min(1.0, threads / 8.0)) << threads << " threads";
  }
}

}  // namespace
}  // namespace polyloom::overlay::test
