// SPDX-License-Identifier: Apache-2.0
// ipc.c on the first 1, 8 and 16 threads of core 0, then on all of the tile's four cores; all others wait in
// idle. Each thread runs it once before and once after the run that counts, so that all are in it while any
// of them counts. It reports the cycles at which that run began and ended, and the result. A thread's data
// are its own, in DRAM behind the cache, where the program's globals would be shared: thread-local, at the
// base of its heap.
#define DATA static __thread

#include "bench/common/device.h"
#include "ipc.c"

// Not inlined: what the compiler knows of one call must not shorten another.
static __attribute__((noinline)) unsigned once(void) { return program(); }

int main() {
  static const uint8_t threads[] = {1, 8, TinselThreadsPerCore, TinselThreadsPerMailbox};
  __asm__ volatile("mv tp, %0" : : "r"(tinselHeapBase()));
  for (uint32_t i = 0; i < sizeof threads; i++) {
    line_up();
    if (tinselId() >= threads[i]) continue;
    once();
    const uint32_t start = tinselCycleCount();
    const uint32_t result = once();
    const uint32_t end = tinselCycleCount();
    once();
    report(start, end, result);
  }
  line_up();
  return 0;
}
