/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithm a collective takes: a function of operation, bytes and number of ranks only, so all ranks
 * agree. -DPOLYLOOM_COLLECTIVES=linear, =tree or =auto fixes it for a kernel; CPU ranks are told by the
 * launcher. */
#pragma once

#include "choose_table.h"
#include "platform.h"

enum polyloom_collective {
  POLYLOOM_BARRIER,
  POLYLOOM_BCAST,
  POLYLOOM_SCATTER,
  POLYLOOM_GATHER,
  POLYLOOM_ALLGATHER,
  POLYLOOM_REDUCE,
  POLYLOOM_ALLREDUCE
};
enum polyloom_algorithm { POLYLOOM_LINEAR, POLYLOOM_TREE, POLYLOOM_RING };
enum polyloom_choice { POLYLOOM_CHOICE_auto, POLYLOOM_CHOICE_linear, POLYLOOM_CHOICE_tree };

/* A node of a tree keeps the blocks of its subtree in that many bytes at most: cost.py's SCRATCH. */
#define POLYLOOM_TREE_BYTES 8192u

struct polyloom_step {
  uint32_t from;
  enum polyloom_algorithm algorithm;
};

static inline int polyloom_choice(void) {
#ifdef POLYLOOM_COLLECTIVES
#define POLYLOOM_JOIN(a, b) a##b
#define POLYLOOM_CHOICE_OF(name) POLYLOOM_JOIN(POLYLOOM_CHOICE_, name)
  return POLYLOOM_CHOICE_OF(POLYLOOM_COLLECTIVES);
#else
  return polyloom_platform_collectives();
#endif
}

static inline enum polyloom_algorithm polyloom_choose(enum polyloom_collective op, uint32_t bytes, int size) {
  static const struct polyloom_step table[][POLYLOOM_TABLE_ROWS][POLYLOOM_TABLE_STEPS] = {
      [POLYLOOM_BARRIER] = {POLYLOOM_TABLE_BARRIER},     [POLYLOOM_BCAST] = {POLYLOOM_TABLE_BCAST},
      [POLYLOOM_SCATTER] = {POLYLOOM_TABLE_SCATTER},     [POLYLOOM_GATHER] = {POLYLOOM_TABLE_GATHER},
      [POLYLOOM_ALLGATHER] = {POLYLOOM_TABLE_ALLGATHER}, [POLYLOOM_REDUCE] = {POLYLOOM_TABLE_REDUCE},
      [POLYLOOM_ALLREDUCE] = {POLYLOOM_TABLE_ALLREDUCE}};
  const int choice = polyloom_choice();
  const int blocks = op == POLYLOOM_SCATTER || op == POLYLOOM_GATHER;
  if (choice == POLYLOOM_CHOICE_linear) return POLYLOOM_LINEAR;
  if (choice == POLYLOOM_CHOICE_tree) {
    const int fits = (uint64_t)bytes * (uint32_t)size <= POLYLOOM_TREE_BYTES;
    return op == POLYLOOM_ALLGATHER ? POLYLOOM_RING : blocks && !fits ? POLYLOOM_LINEAR : POLYLOOM_TREE;
  }
  int row = 0;
  while (row + 1 < POLYLOOM_TABLE_ROWS && size > 2 << row) row++;
  const struct polyloom_step* steps = table[op][row];
  int step = POLYLOOM_TABLE_STEPS - 1;
  while (bytes < steps[step].from) step--; /* the first is from 0 on */
  if (blocks && (uint64_t)bytes * (uint32_t)size > POLYLOOM_TREE_BYTES) return POLYLOOM_LINEAR;
  return steps[step].algorithm;
}
