// SPDX-License-Identifier: Apache-2.0
// The boot image: what every thread executes from address 0 when it is started. HostLink holds the assembled bytes and
// loads them below the program; a device program contains none of it, so programs link as they always did (at 0x240).
//
// Registers are undefined at a thread's start. The stack grows down from the top of the thread's own DRAM partition
// (docs/sources/tinsel.md, 1.3): sp = (0x80000000 - p * 2 MiB - 32) | 0x80000000, p = id mod 512.
// A thread whose main returns is stopped. It runs from here again when it is started again.
#include <config.h>

    .text
    .globl _boot
_boot:
    csrrw a0, 0xf14, zero
    andi  a0, a0, TinselThreadsPerDRAM - 1
    slli  a0, a0, TinselLogBytesPerDRAMPartition
    li    sp, -32
    sub   sp, sp, a0
    csrrw zero, 0x003, zero            // rounding to nearest, no accrued exceptions
    li    s0, 0                        // end of the chain of frames, for debuggers
    li    t0, TinselMaxBootImageBytes
    jalr  ra, t0                       // the program's entry
stop:
    csrrw zero, 0x80e, zero
    j     stop

// Where HostLink starts the threads of boards that its program does not use (kParkAddress): they wait for termination,
// always vote for it, and drop what reaches them, so that it is detected over the whole cluster.
    .org 64
    .globl _park
_park:
    li    t0, 2 | 4 | 8
again:
    csrrw t1, 0x80a, t0
    andi  t1, t1, 2
    beqz  t1, again
    csrrw t2, 0x809, zero
    csrrw zero, 0x802, t2
    j     again
