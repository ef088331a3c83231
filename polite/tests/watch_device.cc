// SPDX-License-Identifier: Apache-2.0
#include <tinsel.h>

#include "polite/tests/sample_vertices.h"

int main() {
  typedef PThread<WatchVertex, WatchState, None, WatchMessage> Thread;
  ((Thread*)tinselHeapBaseSRAM())->run();
  return 0;
}
