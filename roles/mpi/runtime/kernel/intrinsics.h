/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel can do besides computing; polyloom/hls knows these by name (roles/mpi/ENGINE.md).
   Pushes and pops are ordered among themselves and against all memory accesses. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Port 0: a word of a command. Other ports are for tests. The port is a constant. Waits until the word is
 * taken. */
void __polyloom_push(unsigned port, uint64_t word);

/* Port 0: a word of a response. Waits until there is one. */
uint64_t __polyloom_pop(unsigned port);

/* Cycles of the core clock since the node's start. */
uint64_t __polyloom_cycle(void);

/* This kernel's rank; constant while it runs. */
uint32_t __polyloom_rank(void);

/* The end: nothing happens in the kernel from here on. */
void __polyloom_halt(void) __attribute__((noreturn));

/* The first byte of DRAM that belongs to no object of the program. */
extern char __polyloom_heap[];

/* The entry. */
void polyloom_kernel(void);

#ifdef __cplusplus
}
#endif
