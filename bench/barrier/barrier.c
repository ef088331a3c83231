// SPDX-License-Identifier: Apache-2.0
// Every thread calls tinselIdle ROUNDS times with no message in flight: each call is a barrier of the whole
// machine. Thread 0 reports the cycles of all rounds. Source: Tinsel paper, section V, Synchronisation.
#include "bench/common/device.h"

int main() {
  line_up();
  const uint32_t start = tinselCycleCount();
  for (int i = 0; i < ROUNDS; i++) tinselIdle(0);
  const uint32_t cycles = tinselCycleCount() - start;
  if (tinselId() == 0) report(cycles, ROUNDS, 0);
  return 0;
}
