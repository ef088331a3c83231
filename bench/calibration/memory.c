// SPDX-License-Identifier: Apache-2.0
// Every thread increments each word of an array of its own, in DRAM or SRAM. The first thread of each tile
// reports the cycles and its cache's misses and write-backs. Source: Tinsel paper, section V, Memory (figure
// 9).
#include "bench/common/device.h"

int main() {
#ifdef USE_SRAM
  uint32_t* array = (uint32_t*)tinselHeapBaseSRAM();
#else
  // The view that does not interleave partitions: "all threads accessing different parts of DRAM at the same
  // time".
  uint32_t* array = (uint32_t*)(tinselHeapBaseGeneric(tinselId()) & 0x7fffffff);
#endif
  line_up();
  if (first_of_tile()) tinselPerfCountReset();
  const uint32_t start = tinselCycleCount();
  for (uint32_t i = 0; i < ARRAY_BYTES / 4; i += 8) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < 8; j++) array[i + j] += 1;
  }
  line_up();
  const uint32_t cycles = tinselCycleCount() - start;
  if (first_of_tile()) report(cycles, tinselMissCount(), tinselWritebackCount());
  return 0;
}
