// SPDX-License-Identifier: Apache-2.0
// One of the programs of combiner_vertices.h: PROGRAM.
#include <tinsel.h>

#include "polite/tests/combiner_vertices.h"

int main() {
  typedef PThread<PROGRAM, PROGRAM::State, PROGRAM::Edge, PROGRAM::Message> Thread;
  ((Thread*)tinselHeapBaseSRAM())->run();
  return 0;
}
