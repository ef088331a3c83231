// SPDX-License-Identifier: Apache-2.0
// The API of programs that run on the overlay's threads, source-compatible with Tinsel 0.8
// (docs/sources/tinsel.md, 2; numbers of CSRs: csrs.h). C and C++, all inline. A call that blocks says so.
#ifndef POLYLOOM_TINSEL_H
#define POLYLOOM_TINSEL_H

#include <config.h>
#include <io.h>
#include <stdint.h>
#include <tinsel-interface.h>

#include "csrs.h"

// Every access is a csrrw; what it orders against memory matters only to messages, so those clobber memory.
#define POLYLOOM_CSR_READ(csr, var) __asm__ volatile("csrrw %0, " csr ", zero" : "=r"(var))
#define POLYLOOM_CSR_WRITE(csr, value) __asm__ volatile("csrrw zero, " csr ", %0" : : "r"(value) : "memory")

/// This thread's global id.
INLINE uint32_t tinselId() {
  uint32_t id;
  __asm__("csrrw %0, " CSR_HART_ID ", zero" : "=r"(id));
  return id;
}

/// Cycles of the core since reset or tinselPerfCountReset: low 32 bits, high 8 bits.
INLINE uint32_t tinselCycleCount() {
  uint32_t n;
  POLYLOOM_CSR_READ(CSR_CYCLE, n);
  return n;
}
INLINE uint32_t tinselCycleCountU() {
  uint32_t n;
  POLYLOOM_CSR_READ(CSR_CYCLEU, n);
  return n;
}

/// Changes one word of instruction memory (two cores share it).
INLINE void tinselWriteInstr(uint32_t byteAddr, uint32_t word) {
  POLYLOOM_CSR_WRITE(CSR_INSTR_ADDR, byteAddr >> 2);
  POLYLOOM_CSR_WRITE(CSR_INSTR, word);
}

/// Evicts one line of this thread's cache partition. Does not wait for memory: load the address to know.
INLINE void tinselFlushLine(uint32_t line, uint32_t way) {
  POLYLOOM_CSR_WRITE(CSR_FLUSH, (line << TinselDCacheLogNumWays) | way);
}

/// Evicts all of this thread's cache partition. Does not wait for memory.
INLINE void tinselCacheFlush() {
  for (uint32_t line = 0; line < TinselDCacheSetsPerThread; line++) {
    for (uint32_t way = 0; way < TinselDCacheNumWays; way++) tinselFlushLine(line, way);
  }
}

/// This thread's message slot for sending, and (with HostLink's useExtraSendSlot) a second one.
INLINE volatile void* tinselSendSlot() {
  const uint32_t thread = tinselId() & (TinselThreadsPerMailbox - 1);
  return (volatile void*)((1u << TinselLogBytesPerMailbox) + (thread << TinselLogBytesPerMsg));
}
INLINE volatile void* tinselSendSlotExtra() {
  const uint32_t thread = TinselThreadsPerMailbox + (tinselId() & (TinselThreadsPerMailbox - 1));
  return (volatile void*)((1u << TinselLogBytesPerMailbox) + (thread << TinselLogBytesPerMsg));
}

/// True if the previous send has left; true if a message has come. Never block.
INLINE int tinselCanSend() {
  int ok;
  __asm__ volatile("csrrw %0, " CSR_CAN_SEND ", zero" : "=r"(ok) : : "memory");
  return ok;
}
INLINE int tinselCanRecv() {
  int ok;
  __asm__ volatile("csrrw %0, " CSR_CAN_RECV ", zero" : "=r"(ok) : : "memory");
  return ok;
}

/// Messages sent from now on have n + 1 flits (n = 0..3).
INLINE void tinselSetLen(int n) { POLYLOOM_CSR_WRITE(CSR_SEND_LEN, n); }

/// Sends the slot to the threads of a mailbox named by a 64-bit mask, which must not be zero. Only when
/// tinselCanSend(); leave the slot alone until that holds again.
INLINE void tinselMulticast(uint32_t mboxDest, uint32_t destMaskHigh, uint32_t destMaskLow,
                            volatile void* slot) {
  POLYLOOM_CSR_WRITE(CSR_SEND_PTR, slot);
  POLYLOOM_CSR_WRITE(CSR_SEND_DEST, mboxDest);
  // Send is no instruction of the standard: opcode 0001000, rs1 = a0 = high half of the mask, rs2 = a1 = low
  // half.
  register uint32_t high __asm__("a0") = destMaskHigh;
  register uint32_t low __asm__("a1") = destMaskLow;
  __asm__ volatile(".4byte 0x00b50008" : : "r"(high), "r"(low) : "memory");
}

/// Sends the slot to one thread (or the host). Only when tinselCanSend().
INLINE void tinselSend(int dest, volatile void* slot) {
  const uint32_t thread = (uint32_t)dest & (TinselThreadsPerMailbox - 1);
  const uint32_t bit = 1u << (thread & 31);
  tinselMulticast((uint32_t)dest >> TinselLogThreadsPerMailbox, thread >= 32 ? bit : 0,
                  thread >= 32 ? 0 : bit, slot);
}

/// Sends the slot to the destinations that the routers' tables hold for a key. Only when tinselCanSend().
INLINE void tinselKeySend(int key, volatile void* slot) {
  tinselMulticast(tinselUseRoutingKey(), 0, (uint32_t)key, slot);
}

/// Takes the next message, only when tinselCanRecv(). It stays in a slot that other receivers may see too.
INLINE volatile void* tinselRecv() {
  volatile void* slot;
  __asm__ volatile("csrrw %0, " CSR_RECV ", zero" : "=r"(slot) : : "memory");
  return slot;
}

/// Gives a received message back: exactly once for each receiver.
INLINE void tinselFree(volatile void* slot) { POLYLOOM_CSR_WRITE(CSR_FREE, slot); }

/// Names of the papers' API. Slots for receiving need no allocation any more: tinselAlloc frees a received
/// message and leaves this thread's own slots alone, and every tinselSlot(n) is the send slot.
INLINE volatile void* tinselSlot(int n) {
  (void)n;
  return tinselSendSlot();
}
INLINE void tinselAlloc(volatile void* slot) {
  const uint32_t offset = (uint32_t)(uintptr_t)slot & ((1u << TinselLogBytesPerMailbox) - 1);
  if (offset >= (1u << (TinselLogThreadsPerMailbox + TinselLogBytesPerMsg))) tinselFree(slot);
}

/// Blocks until any of the conditions holds.
INLINE void tinselWaitUntil(TinselWakeupCond cond) { POLYLOOM_CSR_WRITE(CSR_WAIT_UNTIL, cond); }

/// Blocks until a message has come (0), or all threads of the machine wait here and no message is on its way:
/// 1, or more than 1 if every one of them voted true.
INLINE int tinselIdle(int vote) {
  const uint32_t bits = 2 | 4 | (vote ? 8 : 0);
  int woken;
  __asm__ volatile("csrrw %0, " CSR_WAIT_UNTIL ", %1" : "=r"(woken) : "r"(bits) : "memory");
  return woken >> 2;
}

/// Console, one byte at a time. Never block: TryPut is non-zero if accepted, TryGet has bit 8 set if there is
/// a byte.
INLINE uint32_t tinselUartTryPut(uint8_t byte) {
  uint32_t ok;
  __asm__ volatile("csrrw %0, " CSR_TO_UART ", %1" : "=r"(ok) : "r"(byte));
  return ok;
}
INLINE uint32_t tinselUartTryGet() {
  uint32_t byte;
  POLYLOOM_CSR_READ(CSR_FROM_UART, byte);
  return byte;
}

/// Starts a thread of this core at address 0; stops the caller.
INLINE void tinselCreateThread(uint32_t coreLocalId) { POLYLOOM_CSR_WRITE(CSR_NEW_THREAD, coreLocalId); }
INLINE void tinselKillThread() { POLYLOOM_CSR_WRITE(CSR_KILL_THREAD, 0); }

/// Prints a word in simulation.
INLINE void tinselEmit(uint32_t x) { POLYLOOM_CSR_WRITE(CSR_EMIT, x); }

/// Address of the host of this thread's own box.
INLINE uint32_t tinselMyBridgeId() {
  const uint32_t board = tinselId() >> TinselLogThreadsPerBoard;
  const uint32_t x = board & ((1u << TinselMeshXBits) - 1);
  const uint32_t y = board >> TinselMeshXBits;
  return tinselBridgeId(x >= TinselMeshXLenWithinBox, y - y % TinselMeshYLenWithinBox);
}

/// Bases of this thread's memory partitions.
INLINE void* tinselHeapBase() { return (void*)(uintptr_t)tinselHeapBaseGeneric(tinselId()); }
INLINE void* tinselHeapBaseSRAM() { return (void*)(uintptr_t)tinselHeapBaseSRAMGeneric(tinselId()); }

/// All counters of the core, its cycle counter included.
INLINE void tinselPerfCountReset() { POLYLOOM_CSR_WRITE(CSR_PERFCOUNT, 0); }
INLINE void tinselPerfCountStart() { POLYLOOM_CSR_WRITE(CSR_PERFCOUNT, 1); }
INLINE void tinselPerfCountStop() { POLYLOOM_CSR_WRITE(CSR_PERFCOUNT, 2); }

#define POLYLOOM_COUNTER(name, csr) \
  INLINE uint32_t name() {          \
    uint32_t n;                     \
    POLYLOOM_CSR_READ(csr, n);      \
    return n;                       \
  }
/// Of the tile's cache: read them on its first core. Of the core. Of the board's router: on board-local
/// thread 0.
POLYLOOM_COUNTER(tinselMissCount, CSR_MISSCOUNT)
POLYLOOM_COUNTER(tinselHitCount, CSR_HITCOUNT)
POLYLOOM_COUNTER(tinselWritebackCount, CSR_WBCOUNT)
POLYLOOM_COUNTER(tinselCPUIdleCount, CSR_CPUIDLECOUNT)
POLYLOOM_COUNTER(tinselCPUIdleCountU, CSR_CPUIDLECOUNTU)
POLYLOOM_COUNTER(tinselProgRouterSent, CSR_PROGROUTERSENT)
POLYLOOM_COUNTER(tinselProgRouterSentInterBoard, CSR_PROGROUTERSENTINTER)
#undef POLYLOOM_COUNTER

#endif
