// SPDX-License-Identifier: Apache-2.0
// ipc.c on the machine that runs the benchmark: the result that every core must have.
#include <stdio.h>

#include "ipc.c"

int main() {
  printf("%08x\n", program());
  return 0;
}
