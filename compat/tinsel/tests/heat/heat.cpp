// SPDX-License-Identifier: Apache-2.0
#include "heat.h"

#include <POLite.h>
#include <tinsel.h>

typedef PThread<HeatDevice, HeatState, None, HeatMessage> HeatThread;

int main() {
  HeatThread* thread = (HeatThread*)tinselHeapBaseSRAM();
  thread->run();
  return 0;
}
