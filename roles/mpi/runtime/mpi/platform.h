/* SPDX-License-Identifier: Apache-2.0 */
/* What the MPI layer asks of the place where it runs: runtime/cpu (a process) or runtime/kernel (a circuit).
 */
#pragma once

#include <stdint.h>

#include "../../arch/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One command of ENGINE.md; returns with its response. Kernels push and pop the words themselves. */
void polyloom_mpe_command(const uint64_t command[3], uint64_t response[2]);
void polyloom_platform_start(void);
void polyloom_platform_finish(void);
/* Tells the manager, and a person where there is a terminal; does not return. */
void polyloom_platform_abort(const struct polyloom_abort* reason) __attribute__((noreturn));
double polyloom_platform_time(void);
double polyloom_platform_tick(void);
/* At least that many bytes, aligned to 16, valid until the next call; null if there are not so many. */
void* polyloom_platform_scratch(uint32_t bytes);
/* A copy of a message, valid until the next call of either; null if there is no memory for it. */
const void* polyloom_platform_copy(const void* data, uint32_t bytes);
/* Memory for a message; null if there is none. */
void* polyloom_platform_keep(uint32_t bytes);
void polyloom_platform_release(void* kept);
int polyloom_platform_rank(void);
/* Ranks of the same number have their memory in common. */
int polyloom_platform_node(void);
int polyloom_platform_size(void);
/* enum polyloom_choice of choose.h */
int polyloom_platform_collectives(void);

#ifdef __cplusplus
}
#endif
