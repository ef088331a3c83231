/* SPDX-License-Identifier: Apache-2.0 */
/* Lloyd's k-means of whole-number points in three dimensions: points are dealt to the ranks, centres are
 * broadcast, sums and counts reduced. The points come from a small generator, so that every run has the same.
 */
#include <mpi.h>
#include <stdio.h>

#ifndef POINTS
#define POINTS 2048 /* of each rank */
#endif
#ifndef CLUSTERS
#define CLUSTERS 8
#endif
#ifndef ITERATIONS
#define ITERATIONS 10
#endif

static int point[POINTS][3];
static int center[CLUSTERS][3];
static int part[CLUSTERS][4], whole[CLUSTERS][4]; /* sums of coordinates, count */

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static int nearest(const int* p) {
  int best = 0;
  long least = 0;
  for (int c = 0; c < CLUSTERS; c++) {
    long distance = 0;
    for (int d = 0; d < 3; d++) distance += (long)(p[d] - center[c][d]) * (p[d] - center[c][d]);
    if (c == 0 || distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned state = 12345u + (unsigned)rank;
  for (int i = 0; i < POINTS; i++) {
    const int blob = (int)(next_random(&state) % CLUSTERS);
    for (int d = 0; d < 3; d++)
      point[i][d] = blob * (1000 + 300 * d) % 4001 + (int)(next_random(&state) % 500);
  }
  if (rank == 0) {
    for (int c = 0; c < CLUSTERS; c++) {
      for (int d = 0; d < 3; d++) center[c][d] = point[c * (POINTS / CLUSTERS)][d];
    }
  }
  const double start = MPI_Wtime();
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    MPI_Bcast(center, 3 * CLUSTERS, MPI_INT, 0, MPI_COMM_WORLD);
    for (int c = 0; c < CLUSTERS; c++) {
      for (int k = 0; k < 4; k++) part[c][k] = 0;
    }
    for (int i = 0; i < POINTS; i++) {
      const int c = nearest(point[i]);
      for (int d = 0; d < 3; d++) part[c][d] += point[i][d];
      part[c][3]++;
    }
    MPI_Reduce(part, whole, 4 * CLUSTERS, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int c = 0; c < CLUSTERS && rank == 0; c++) {
      for (int d = 0; d < 3; d++) {
        if (whole[c][3] > 0) center[c][d] = whole[c][d] / whole[c][3];
      }
    }
  }
  if (rank == 0) {
    for (int c = 0; c < CLUSTERS; c++) {
      printf("center %d: %d %d %d of %d points\n", c, center[c][0], center[c][1], center[c][2], whole[c][3]);
    }
    printf("time: %.6f s\n", MPI_Wtime() - start);
  }
  MPI_Finalize();
  return 0;
}
