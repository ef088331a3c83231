// SPDX-License-Identifier: Apache-2.0
// All threads run PROGRAM between two barriers; thread 0 reports the cycles and its result.
#include "bench/fidelity/programs.h"

int main() {
  line_up();
  const uint32_t start = tinselCycleCount();
  const uint32_t result = PROGRAM();
  line_up();
  if (tinselId() == 0) report(tinselCycleCount() - start, result, 0);
  return 0;
}
