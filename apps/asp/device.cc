// SPDX-License-Identifier: Apache-2.0
// Device program: the softswitch with this application's vertex.
#include "asp.h"

int main() {
  typedef PThread<AspVertex, AspState, None, AspMessage> Thread;
  Thread* thread = (Thread*)tinselHeapBaseSRAM();
  thread->run();
  return 0;
}
