// SPDX-License-Identifier: Apache-2.0
// The first instructions of a program, at 0x240 where the boot image calls them: linked first (docs/sources/tinsel.md,
// 1.5). Returning from main returns to the boot image. Scripts that do not define __global_pointer$ do not
// use gp either.
    .section .text.entry, "ax"
    .weak __global_pointer$
    .globl _start
_start:
    .option push
    .option norelax
    lui  gp, %hi(__global_pointer$)
    addi gp, gp, %lo(__global_pointer$)
    .option pop
    tail main
