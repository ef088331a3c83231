/* SPDX-License-Identifier: Apache-2.0 */
/* The intrinsics on a CPU, so that a kernel's C source runs natively: words come from a file (argument 1:
   lines "port word"), pushes go to standard output in the same form. Argument 2 is the rank. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "intrinsics.h"

enum { kPorts = 16 };

static uint64_t* words[kPorts];
static size_t counts[kPorts], taken[kPorts];
static uint32_t rank;

void __polyloom_push(unsigned port, uint64_t word) { printf("%u %" PRIu64 "\n", port, word); }

uint64_t __polyloom_pop(unsigned port) {
  if (taken[port] == counts[port]) {
    fflush(stdout);
    fprintf(stderr, "port %u has no more words\n", port);
    exit(3);
  }
  return words[port][taken[port]++];
}

uint64_t __polyloom_cycle(void) {
  static uint64_t cycle;
  return ++cycle;
}

uint32_t __polyloom_rank(void) { return rank; }

void __polyloom_halt(void) {
  fflush(stdout);
  exit(0);
}

int main(int argc, char** argv) {
  unsigned port;
  uint64_t word;
  FILE* file = fopen(argv[1], "r");
  if (argc > 2) rank = (uint32_t)strtoul(argv[2], NULL, 10);
  if (!file) return 2;
  while (fscanf(file, "%u %" SCNu64, &port, &word) == 2 && port < kPorts) {
    words[port] = realloc(words[port], (counts[port] + 1) * sizeof word);
    words[port][counts[port]++] = word;
  }
  polyloom_kernel();
  fflush(stdout);
  return 0;
}
