// SPDX-License-Identifier: Apache-2.0
// Usage: run [laps]. Exit status 0 if the token came back as it must.
#include <HostLink.h>

#include "ring.h"

int main(int argc, char** argv) {
  const unsigned laps = argc > 1 ? atoi(argv[1]) : 3;
  HostLink hostLink;
  hostLink.boot("code.v", "data.v");
  hostLink.go();

  const unsigned boards = hostLink.meshXLen;
  Token token = {laps, boards, 0, 0};
  hostLink.send(hostLink.toAddr(0, 0, 0, 0), 1, &token);
  uint32_t result[1 << TinselLogWordsPerMsg];
  hostLink.recv(result);

  unsigned sum = 0;
  for (unsigned x = 0; x < boards; x++) {
    for (unsigned t = 0; t < RING_THREADS_PER_BOARD; t++) sum += hostLink.toAddr(x, 0, 0, 0) + t;
  }
  const unsigned hops = laps * boards * RING_THREADS_PER_BOARD;
  printf("ring: %u laps, %u hops, sum %u\n", laps, result[2], result[3]);
  bool ok = result[0] == 0 && result[1] == boards && result[2] == hops && result[3] == laps * sum;
  for (int i = 4; i < 16; i++) ok = ok && result[i] == 0;  // padding
  printf(ok ? "OK\n" : "FAILED\n");
  return ok ? 0 : 1;
}
