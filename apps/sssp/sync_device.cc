// SPDX-License-Identifier: Apache-2.0
// Device program: the softswitch with this application's vertex.
#include "sssp.h"

int main() {
  typedef PThread<SsspSync, SsspState, uint32_t, SsspMessage> Thread;
  Thread* thread = (Thread*)tinselHeapBaseSRAM();
  thread->run();
  return 0;
}
