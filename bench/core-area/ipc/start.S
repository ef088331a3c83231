# SPDX-License-Identifier: Apache-2.0
# At 0, and for Ibex, which begins there, at 0x80.
  .section .start, "ax"
  .globl _start
_start:
  li sp, 0x8000
  j run
  .org 0x80
  li sp, 0x8000
  j run
