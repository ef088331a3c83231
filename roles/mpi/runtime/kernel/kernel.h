/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a kernel's C library share. */
#pragma once

#include <stdint.h>

#include "intrinsics.h"

#ifndef POLYLOOM_CLOCK_HZ
#define POLYLOOM_CLOCK_HZ 156250000
#endif
#ifndef POLYLOOM_DRAM_BYTES
#define POLYLOOM_DRAM_BYTES 0x10000000u /* at most 0x70000000 */
#endif
#ifndef POLYLOOM_HEAP /* a kernel run on a CPU has another */
#define POLYLOOM_HEAP ((uint32_t)(uintptr_t)__polyloom_heap)
#endif

void polyloom_exit(int code) __attribute__((noreturn));
void polyloom_report_manager(int tag, const void* data, uint32_t bytes);
/* The next ANSWER. */
void polyloom_hear_manager(void* into, uint32_t bytes);
