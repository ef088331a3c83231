// SPDX-License-Identifier: Apache-2.0
// Device program: the softswitch with this application's vertex.
#include "gals.h"

int main() {
  typedef PThread<GalsVertex, GalsState, float, GalsMessage> Thread;
  Thread* thread = (Thread*)tinselHeapBaseSRAM();
  thread->run();
  return 0;
}
