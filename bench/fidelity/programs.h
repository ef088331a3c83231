// SPDX-License-Identifier: Apache-2.0
// The programs of bench/fidelity: each uses one part of the machine as hard as it can. All threads call one
// of them between two barriers; the value that thread 0 returns goes into the report.
#pragma once

#include "bench/calibration/exchange.h"
#include "bench/sim-speed/kernels.h"

/// The thread `steps` behind this one in the ring of all threads of BOARDS_X boards of one tile.
static inline uint32_t ring_thread(uint32_t steps) {
  uint32_t bx, by, x, y, core, thread;
  tinselFromAddr(tinselId(), &bx, &by, &x, &y, &core, &thread);
  const uint32_t all = BOARDS_X * TinselThreadsPerMailbox;
  const uint32_t index = (bx * TinselThreadsPerMailbox + core * TinselThreadsPerCore + thread + steps) % all;
  const uint32_t local = index % TinselThreadsPerMailbox;
  return tinselToAddr(index / TinselThreadsPerMailbox, 0, 0, 0, local / TinselThreadsPerCore,
                      local % TinselThreadsPerCore);
}

/// Integer arithmetic, branches, cache hits, a few multiplications.
static inline uint32_t integer(void) { return integer_kernel(tinselHeapBase(), 1); }

/// Floating-point arithmetic and cache hits: all threads want the FPU.
static inline uint32_t fp32(void) { return fp_kernel(tinselHeapBase(), 1); }

/// All threads want the divider.
static inline uint32_t divide(void) {
  uint32_t x = 0x7fffffff - tinselId();
  float y = (float)x;
  for (uint32_t i = 1; i <= 8; i++) {
    x = x / 3 + x % (i + 6);
    y = y / 1.5f + 100.0f;
    __asm__("fsqrt.s %0, %0" : "+f"(y));
  }
  return x + (uint32_t)y;
}

/// Every word of an array of 8 KiB is incremented: misses, write-backs, all banks of the DRAM.
static inline uint32_t increment(uint32_t* array) {
  for (uint32_t i = 0; i < 2048; i += 8) {
#pragma GCC unroll 8
    for (uint32_t j = 0; j < 8; j++) array[i + j] += i;
  }
  return array[5];
}
static inline uint32_t stream_dram(void) { return increment((uint32_t*)tinselHeapBase()); }
static inline uint32_t stream_sram(void) { return increment((uint32_t*)tinselHeapBaseSRAM()); }

/// Sixteen threads read a line, and from it know which to read next: nothing but latency.
static inline uint32_t chase(void) {
  if (tinselId() % TinselThreadsPerMailbox >= 16) return 0;
  volatile uint32_t* memory = (volatile uint32_t*)tinselHeapBase();
  uint32_t x = tinselId() + 1;
  for (uint32_t i = 0; i < 400; i++) {
    x = x * 1664525u + 1013904223u;
    x += memory[((x >> 12) & 0x3fff) * 8];
  }
  return x;
}

/// Dirty lines are flushed and read again.
static inline uint32_t flush(void) {
  volatile uint32_t* memory = (volatile uint32_t*)tinselHeapBase();
  uint32_t sum = 0;
  for (uint32_t round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < 64; i++) memory[i * 8] = i + round;
    tinselCacheFlush();
    for (uint32_t i = 0; i < 64; i++) sum += memory[i * 8];
  }
  return sum;
}

/// Words of the thread's own message slot: all threads want the scratchpad's port.
static inline uint32_t scratchpad(void) {
  volatile uint32_t* slot = (volatile uint32_t*)tinselSendSlot();
  uint32_t sum = 0;
  tinselWaitUntil(TINSEL_CAN_SEND);
  for (uint32_t round = 0; round < 20; round++) {
    for (uint32_t i = 0; i < 16; i++) slot[i] = sum + i;
    for (uint32_t i = 0; i < 16; i++) sum += slot[i];
  }
  return sum;
}

/// Waits for a message and gives it back.
static inline uint32_t take(void) {
  tinselWaitUntil(TINSEL_CAN_RECV);
  volatile uint32_t* message = (volatile uint32_t*)tinselRecv();
  const uint32_t word = message[0];
  tinselFree(message);
  return word;
}
static inline void give(uint32_t to, uint32_t word) {
  tinselWaitUntil(TINSEL_CAN_SEND);
  volatile uint32_t* slot = (volatile uint32_t*)tinselSendSlot();
  slot[0] = word;
  tinselSend((int)to, slot);
}

/// One message between the first thread and the one half the ring away, to and fro.
static inline uint32_t ping(void) {
  const uint32_t half = BOARDS_X * TinselThreadsPerMailbox / 2, other = ring_thread(half);
  uint32_t word = 0;
  tinselSetLen(0);
  if (tinselId() == 0) {
    for (uint32_t i = 0; i < 100; i++) {
      give(other, word + 1);
      word = take();
    }
  } else if (other == 0) {
    for (uint32_t i = 0; i < 100; i++) give(0, take() + 1);
  }
  return word;
}

/// A message goes round the ring of all threads.
static inline uint32_t ring(void) {
  const uint32_t next = ring_thread(1);
  uint32_t word = 0;
  tinselSetLen(3);
  for (uint32_t i = 0; i < 4; i++) {
    if (tinselId() == 0) {
      give(next, word + 1);
      word = take();
    } else {
      give(next, take() + 1);
    }
  }
  return word;
}

/// Every thread sends 4-flit messages to two others at once and takes what comes.
static inline uint32_t crowd(void) {
  const uint32_t far = BOARDS_X * TinselThreadsPerMailbox / 2, all = 2 * far;
  const uint32_t partners[] = {ring_thread(far), ring_thread(1), ring_thread(all - 1)};
  exchange(partners, 3, 30, 4);
  return 0;
}

/// The first thread of each board sends to all threads of its tile; they count.
static inline uint32_t multicast(void) {
  volatile uint32_t* slot = (volatile uint32_t*)tinselSendSlot();
  const uint32_t first = tinselId() % TinselThreadsPerMailbox == 0;
  uint32_t sum = 0;
  tinselSetLen(1);
  for (uint32_t i = 0; i < 60; i++) {
    if (first) {
      tinselWaitUntil(TINSEL_CAN_SEND);
      slot[0] = i;
      tinselMulticast(tinselId() >> TinselLogThreadsPerMailbox, ~0u, ~0u, slot);
    }
    sum += take();
  }
  return sum;
}

/// Barriers.
static inline uint32_t barriers(void) {
  for (uint32_t i = 0; i < 40; i++) tinselIdle(0);
  return 0;
}
