// SPDX-License-Identifier: Apache-2.0
// Every thread of the machine runs ROUNDS rounds of the loop of picorv32_array.sv; thread 0 reports the
// cycles.
#include "bench/common/device.h"

/// As there: 4 x (3 x (addi, xori), store, load), then the loop's two.
static inline void rounds(volatile uint32_t* word, uint32_t count) {
  uint32_t x = tinselId();
  __asm__ volatile(
      "1:\n"
      "   .rept 4\n"
      "   .rept 3\n"
      "   addi %[x], %[x], 3\n"
      "   xori %[x], %[x], 5\n"
      "   .endr\n"
      "   sw   %[x], 0(%[word])\n"
      "   lw   t1, 0(%[word])\n"
      "   .endr\n"
      "   addi %[count], %[count], -1\n"
      "   bnez %[count], 1b\n"
      : [x] "+&r"(x), [count] "+&r"(count)
      : [word] "r"(word)
      : "t1", "memory");
}

int main() {
  line_up();
  const uint32_t start = tinselCycleCount();
  rounds((volatile uint32_t*)tinselHeapBase(), ROUNDS);
  line_up();
  if (tinselId() == 0) report(tinselCycleCount() - start, 0, 0);
  return 0;
}
