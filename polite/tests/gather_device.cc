// SPDX-License-Identifier: Apache-2.0
#include <tinsel.h>

#include "polite/tests/sample_vertices.h"

int main() {
  typedef PThread<GatherVertex, GatherState, None, GatherMessage> Thread;
  ((Thread*)tinselHeapBaseSRAM())->run();
  return 0;
}
