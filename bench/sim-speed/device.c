// SPDX-License-Identifier: Apache-2.0
// Every thread runs KERNEL for ROUNDS rounds on an array of its own; thread 0 reports the result and the
// cycles.
#include "bench/common/device.h"

#include "bench/sim-speed/kernels.h"

int main() {
  line_up();
  const uint32_t start = tinselCycleCount();
  const uint32_t result = KERNEL(tinselHeapBase(), ROUNDS);
  line_up();
  if (tinselId() == 0) report(tinselCycleCount() - start, result, 0);
  return 0;
}
