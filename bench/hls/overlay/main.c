// SPDX-License-Identifier: Apache-2.0
// A kernel of bench/hls as a program of the overlay: thread 0 runs it, all others wait in idle. The first run
// fills the cache; the second one is reported: result, cycles, iterations. What a kernel pops is TIMES.
#include "bench/common/device.h"
#include "intrinsics.h"

void polyloom_kernel(void);

static uint32_t pushed[3];

uint64_t __polyloom_pop(unsigned port) { return port == 0 ? TIMES : 0; }
uint64_t __polyloom_cycle(void) { return tinselCycleCount(); }
void __polyloom_push(unsigned port, uint64_t word) { pushed[port] = (uint32_t)word; }

int main() {
  line_up();
  if (tinselId() == 0) {
    polyloom_kernel();
    polyloom_kernel();
    report(pushed[0], pushed[1], pushed[2]);
  }
  line_up();
  return 0;
}
