// SPDX-License-Identifier: Apache-2.0
// Device program: the softswitch with this application's vertex.
#include "hashmin.h"

int main() {
  typedef PThread<HashMinVertex, HashMinState, None, HashMinMessage> Thread;
  Thread* thread = (Thread*)tinselHeapBaseSRAM();
  thread->run();
  return 0;
}
