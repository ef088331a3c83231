/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of C that a kernel does not have. Programs call them on CPU ranks, from sources that FPGA ranks
 * share; so they are declared, and polyloom/hls refuses a call that is left when an FPGA rank's program no
 * longer holds what this rank never executes, with its place and these words.
 *
 *   POLYLOOM_NOT_HERE(qsort) void qsort(void* base, size_t count, size_t size, int (*order)(const void*,
 * const void*)); */
#ifndef POLYLOOM_NONE_H
#define POLYLOOM_NONE_H

#define POLYLOOM_NOT_HERE_AS(text) __attribute__((error(text)))
#define POLYLOOM_NOT_HERE(name) \
  POLYLOOM_NOT_HERE_AS(#name " is not there in an FPGA kernel; keep it on CPU ranks")

#endif
