// SPDX-License-Identifier: Apache-2.0
#ifndef RING_H
#define RING_H

// Threads 0..69 of every board in row 0: tile (0,0) and six threads of tile (1,0).
#define RING_THREADS_PER_BOARD 70

struct Token {
  unsigned laps;    // still to go
  unsigned boards;  // in the ring
  unsigned hops;    // so far
  unsigned sum;     // of the ids of the threads passed
};

#endif
