// SPDX-License-Identifier: Apache-2.0
// The same kernels as a Linux program for qemu-riscv32: no C library, the result is the exit status' low
// bits.
#include "bench/sim-speed/kernels.h"

static uint32_t memory[KERNEL_WORDS];

void _start(void) {
  register long status __asm__("a0") = (long)(KERNEL(memory, ROUNDS) & 1);
  register long call __asm__("a7") = 93;
  __asm__ volatile("ecall" : : "r"(status), "r"(call));
  __builtin_unreachable();
}
