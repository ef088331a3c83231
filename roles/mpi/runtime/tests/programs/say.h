/* SPDX-License-Identifier: Apache-2.0 */
/* What the conformance programs share: a hash of what came, and lines that begin with the rank. */
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static int rank, size;

static inline uint64_t hash(const void* data, size_t bytes) {
  uint64_t h = 1469598103934665603u;
  const unsigned char* at = (const unsigned char*)data;
  for (size_t i = 0; i < bytes; i++) h = (h ^ at[i]) * 1099511628211u;
  return h;
}

/* The same numbers for all that give the same seed. */
static inline void fill(void* data, size_t bytes, unsigned seed) {
  unsigned char* at = (unsigned char*)data;
  uint32_t x = seed * 2654435761u + 1;
  for (size_t i = 0; i < bytes; i++) {
    x = x * 1664525u + 1013904223u;
    at[i] = (unsigned char)(x >> 24);
  }
}

#define SAY(...)          \
  do {                    \
    printf("%d: ", rank); \
    printf(__VA_ARGS__);  \
    putchar('\n');        \
  } while (0)

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  /* Open MPI may cut lines of ranks into each other unless they are written whole. */
  static char buffer[1 << 20];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}
