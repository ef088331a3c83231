/* SPDX-License-Identifier: Apache-2.0 */
/* The five-point stencil with the boundary inside the loop, as MPI programs have it. */
/* words: 3 1 / 6 2 */
#include "intrinsics.h"

#define DIM 64

static int grid[10][DIM], next[10][DIM];

void polyloom_kernel(void) {
  int rows = (int)__polyloom_pop(0), rounds = (int)__polyloom_pop(0);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < DIM; j++) grid[i][j] = i * 1000 - j * j * 3;
  for (int t = 0; t < rounds; t++) {
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < DIM; j++) {
        if (i == 0 || i == rows - 1 || j == 0 || j == DIM - 1)
          next[i][j] = grid[i][j];
        else
          next[i][j] = (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) / 4.0;
      }
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < DIM; j++) grid[i][j] = next[i][j];
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < DIM; j++) __polyloom_push(1, (uint64_t)(int64_t)grid[i][j]);
}
