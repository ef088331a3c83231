// SPDX-License-Identifier: Apache-2.0
// The environment of RISC-V instruction tests on one thread of the overlay: the macros that tests written for
// other cores expect, for a core without traps, privileges and virtual memory.
//
// A test runs from its first instruction on thread 0 of a core. It ends by a number in `tohost`, which lies
// in the tile's scratchpad: stores there are seen by the host at once (the rest of memory is cached). Then
// the thread waits for ever.
// clang-format off
#ifndef POLYLOOM_RISCV_TEST_H
#define POLYLOOM_RISCV_TEST_H

#define TESTNUM gp

// Which instructions a test needs. There is nothing to switch on but, for floating point, a clean fcsr.
#define RVTEST_RV32U .macro init; .endm
#define RVTEST_RV32UF .macro init; csrw fcsr, zero; .endm
// Sources that serve both widths name the 64-bit one and are included with it redefined.
#define RVTEST_RV64U RVTEST_RV32U
#define RVTEST_RV64UF RVTEST_RV32UF

// Registers are undefined at a thread's start; tests may not depend on them, but failures should repeat.
#define INIT_XREG                                                                                                      \
  li x1, 0; li x2, 0; li x3, 0; li x4, 0; li x5, 0; li x6, 0; li x7, 0; li x8, 0; li x9, 0; li x10, 0; li x11, 0;     \
  li x12, 0; li x13, 0; li x14, 0; li x15, 0; li x16, 0; li x17, 0; li x18, 0; li x19, 0; li x20, 0; li x21, 0;       \
  li x22, 0; li x23, 0; li x24, 0; li x25, 0; li x26, 0; li x27, 0; li x28, 0; li x29, 0; li x30, 0; li x31, 0;

#define RVTEST_CODE_BEGIN                                                                                              \
  .section .text.init;                                                                                                 \
  .align 2;                                                                                                            \
  .globl _start;                                                                                                       \
  _start:                                                                                                              \
  INIT_XREG;                                                                                                           \
  li TESTNUM, 0;                                                                                                       \
  init;

// Where a test that runs off its end comes to: a failure of test 0.
#define RVTEST_CODE_END                                                                                                \
  li TESTNUM, 0;                                                                                                       \
  RVTEST_FAIL

// CSR 0x80a with no condition: the thread waits for ever and takes no cycles from others.
#define POLYLOOM_END_WITH(number)                                                                                      \
  la t5, tohost;                                                                                                       \
  sw number, 0(t5);                                                                                                    \
  9: csrw 0x80a, zero;                                                                                                 \
  j 9b;

#define RVTEST_PASS                                                                                                    \
  fence;                                                                                                               \
  li TESTNUM, 1;                                                                                                       \
  POLYLOOM_END_WITH(TESTNUM)

// Test 0 failed would read as passed: it is said by the largest number.
#define RVTEST_FAIL                                                                                                    \
  fence;                                                                                                               \
  bne TESTNUM, x0, 7f;                                                                                                 \
  li TESTNUM, 0x3fffffff;                                                                                              \
  7: slli TESTNUM, TESTNUM, 1;                                                                                         \
  ori TESTNUM, TESTNUM, 1;                                                                                             \
  POLYLOOM_END_WITH(TESTNUM)

#define EXTRA_DATA

#define RVTEST_DATA_BEGIN                                                                                              \
  EXTRA_DATA                                                                                                           \
  .pushsection .tohost, "aw", @progbits;                                                                               \
  .align 6;                                                                                                            \
  .globl tohost;                                                                                                       \
  tohost: .dword 0;                                                                                                    \
  .size tohost, 8;                                                                                                     \
  .globl fromhost;                                                                                                     \
  fromhost: .dword 0;                                                                                                  \
  .size fromhost, 8;                                                                                                   \
  .popsection;                                                                                                         \
  .align 4;                                                                                                            \
  .globl begin_signature;                                                                                              \
  begin_signature:

#define RVTEST_DATA_END                                                                                                \
  .align 4;                                                                                                            \
  .globl end_signature;                                                                                                \
  end_signature:

#endif
