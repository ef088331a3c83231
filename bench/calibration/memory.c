// SPDX-License-Identifier: Apache-2.0
// Every thread increments each word of an array of its own, in DRAM or SRAM. The first thread of each tile
// reports the cycles and its cache's misses and write-backs. Source: Tinsel paper, section V, Memory (figure
// 9).
#include "bench/common/device.h"

#ifndef WARM_BYTES
#define WARM_BYTES 0  // in front of the array, gone through before the time runs: fills the caches
#endif
#ifndef TOUCHED
#define TOUCHED 8  // words of eight; the caches take two requests for each
#endif

static inline void increment(uint32_t* array, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes / 4; i += 8) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < TOUCHED; j++) array[i + j] += 1;
  }
}

int main() {
#ifdef USE_SRAM
  uint32_t* array = (uint32_t*)tinselHeapBaseSRAM();
#else
  // The view that does not interleave partitions: "all threads accessing different parts of DRAM at the same
  // time".
  uint32_t* array = (uint32_t*)(tinselHeapBaseGeneric(tinselId()) & 0x7fffffff);
#endif
  increment(array, WARM_BYTES);
  line_up();
  if (first_of_tile()) tinselPerfCountReset();
  const uint32_t start = tinselCycleCount();
  increment(array + WARM_BYTES / 4, ARRAY_BYTES);
  line_up();
  const uint32_t cycles = tinselCycleCount() - start;
  if (first_of_tile()) report(cycles, tinselMissCount(), tinselWritebackCount());
  return 0;
}
