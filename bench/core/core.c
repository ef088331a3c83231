// SPDX-License-Identifier: Apache-2.0
// The first n threads of core 0 run a loop whose instructions are known to the last one, for n = 1 .. 16.
// Each runs a round of it, ROUNDS that count, and another round, so that all n are in the loop while any of
// them counts. Each reports the cycles at which what counts began and ended, and the idle cycles of its core
// in between. All other threads wait in idle and issue nothing. Source: Tinsel paper, section III (one
// instruction a cycle with 8 or more threads).
#include "bench/common/device.h"

typedef struct {
  uint32_t start, end, idle;
} Span;

/// Warm-up, what counts, and one round more. Between the instructions that read the cycle counter stand those
/// of the loop and a read of the idle counter: both counters span as many cycles.
#define MEASURE(BODY, round)                                                                         \
  uint32_t before = (round), counts = ROUNDS * (round), after = (round), start, end, idle, idle_0;   \
  __asm__ volatile(                                                                                  \
      "1:" BODY                                                                                      \
      "   addi %[before], %[before], -1\n"                                                           \
      "   bnez %[before], 1b\n"                                                                      \
      "   csrrw %[idle_0], " CSR_CPUIDLECOUNT                                                        \
      ", zero\n"                                                                                     \
      "   csrrw %[start], " CSR_CYCLE                                                                \
      ", zero\n"                                                                                     \
      "1:" BODY                                                                                      \
      "   addi %[counts], %[counts], -1\n"                                                           \
      "   bnez %[counts], 1b\n"                                                                      \
      "   csrrw %[idle], " CSR_CPUIDLECOUNT                                                          \
      ", zero\n"                                                                                     \
      "   csrrw %[end], " CSR_CYCLE                                                                  \
      ", zero\n"                                                                                     \
      "1:" BODY                                                                                      \
      "   addi %[after], %[after], -1\n"                                                             \
      "   bnez %[after], 1b\n"                                                                       \
      : [before] "+&r"(before), [counts] "+&r"(counts), [after] "+&r"(after), [start] "=&r"(start),  \
        [end] "=&r"(end), [idle] "=&r"(idle), [idle_0] "=&r"(idle_0), [x] "+&r"(x), [sum] "+&r"(sum) \
      :                                                                                              \
      : "t1");                                                                                       \
  return (Span) { start, end, idle - idle_0 }

/// 256 instructions a round: 254 of integer arithmetic and the loop's two.
static Span straight(void) {
  uint32_t x = tinselId(), sum = 0;
  MEASURE(
      "   .rept 127\n"
      "   addi %[x], %[x], 3\n"
      "   xori %[x], %[x], 5\n"
      "   .endr\n",
      1);
}

/// 192 instructions a round: 16 times 12, a quarter of them branches and jumps. The outcome of one branch is
/// random; both its ways are as long.
static Span branches(void) {
  uint32_t x = 2463534242u ^ tinselId(), sum = 0;
  MEASURE(
      "   slli t1, %[x], 13\n"
      "   xor  %[x], %[x], t1\n"
      "   srli t1, %[x], 17\n"
      "   xor  %[x], %[x], t1\n"
      "   slli t1, %[x], 5\n"
      "   xor  %[x], %[x], t1\n"
      "   andi t1, %[x], 64\n"
      "   beqz t1, 2f\n"
      "   add  %[sum], %[sum], %[x]\n"
      "   j    3f\n"
      "2: sub  %[sum], %[sum], %[x]\n"
      "   bltu %[sum], %[x], 3f\n"  // falls through or jumps to the same instruction
      "3:",
      16);
}

int main() {
  static const uint8_t threads[] = {1, 2, 4, 8, 12, 16};
  const uint32_t board_thread = tinselId() & (TinselThreadsPerBoard - 1);
  for (uint32_t kernel = 0; kernel < 2; kernel++) {
    for (uint32_t i = 0; i < sizeof threads; i++) {
      line_up();
      if (board_thread >= threads[i]) continue;
      const Span span = kernel == 0 ? straight() : branches();
      report(span.start, span.end, span.idle);
    }
  }
  line_up();
  return 0;
}
