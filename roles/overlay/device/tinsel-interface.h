// SPDX-License-Identifier: Apache-2.0
// The part of the device API that host programs share: thread ids, special addresses, memory partitions
// (docs/sources/tinsel.md, 1.3, 1.4 and section 2). C and C++; device and host give the same responses.
#ifndef POLYLOOM_TINSEL_INTERFACE_H
#define POLYLOOM_TINSEL_INTERFACE_H

#include <config.h>
#include <stdint.h>

#ifndef INLINE
#define INLINE inline __attribute__((always_inline))
#endif

// What may end a wait: a bit mask, see tinselWaitUntil.
typedef enum { TINSEL_CAN_SEND = 1, TINSEL_CAN_RECV = 2 } TinselWakeupCond;

#ifdef __cplusplus
INLINE TinselWakeupCond operator|(TinselWakeupCond a, TinselWakeupCond b) {
  return (TinselWakeupCond)(((uint32_t)a) | ((uint32_t)b));
}
#endif

// Bits above the thread id, in thread-id form.
enum {
  TINSEL_ADDR_HOST_EAST_BIT = TinselLogMaxThreads,
  TINSEL_ADDR_HOST_BIT,
  TINSEL_ADDR_KEY_BIT,
  TINSEL_ADDR_ACCELERATOR_BIT
};

/// Address of the host that serves the cluster's board (0,0).
INLINE uint32_t tinselHostId() { return 1u << TINSEL_ADDR_HOST_BIT; }

/// Address of the host at the west (x = 0) or east (x = 1) end of board row y.
INLINE uint32_t tinselBridgeId(uint32_t x, uint32_t y) {
  return (1u << TINSEL_ADDR_HOST_BIT) | (x << TINSEL_ADDR_HOST_EAST_BIT) |
         (y << (TinselMeshXBits + TinselLogThreadsPerBoard));
}

/// Beyond Tinsel: a vertex program stops itself by a store to this address plus 256 * POLITE_NUM_PINS plus
/// the number of the pin that a vertex asked for and that is none. No memory is there, so the host is told
/// the address.
INLINE uint32_t polyloomBadPin() { return 0xbad50000u; }
/// The same, plus the number of a superstep in which not every vertex sent, of a class that says
/// sendsEveryStep.
INLINE uint32_t polyloomMissingMessages() { return 0xbad60000u; }

/// Destination mailbox of a message that routers look up by its key (tinselKeySend).
INLINE uint32_t tinselUseRoutingKey() { return 1u << (TINSEL_ADDR_KEY_BIT - TinselLogThreadsPerMailbox); }

/// Packs a thread id: board, tile of the board, core of the tile, thread of the core.
INLINE uint32_t tinselToAddr(uint32_t boardX, uint32_t boardY, uint32_t tileX, uint32_t tileY,
                             uint32_t coreId, uint32_t threadId) {
  uint32_t addr = boardY;
  addr = (addr << TinselMeshXBits) | boardX;
  addr = (addr << TinselMailboxMeshYBits) | tileY;
  addr = (addr << TinselMailboxMeshXBits) | tileX;
  addr = (addr << TinselLogCoresPerMailbox) | coreId;
  return (addr << TinselLogThreadsPerCore) | threadId;
}

/// Unpacks a thread id.
INLINE void tinselFromAddr(uint32_t addr, uint32_t* boardX, uint32_t* boardY, uint32_t* tileX,
                           uint32_t* tileY, uint32_t* coreId, uint32_t* threadId) {
  *threadId = addr & ((1u << TinselLogThreadsPerCore) - 1);
  addr >>= TinselLogThreadsPerCore;
  *coreId = addr & ((1u << TinselLogCoresPerMailbox) - 1);
  addr >>= TinselLogCoresPerMailbox;
  *tileX = addr & ((1u << TinselMailboxMeshXBits) - 1);
  addr >>= TinselMailboxMeshXBits;
  *tileY = addr & ((1u << TinselMailboxMeshYBits) - 1);
  addr >>= TinselMailboxMeshYBits;
  *boardX = addr & ((1u << TinselMeshXBits) - 1);
  addr >>= TinselMeshXBits;
  *boardY = addr & ((1u << TinselMeshYBits) - 1);
}

/// Address of a tile's custom accelerator.
INLINE uint32_t tinselAccId(uint32_t boardX, uint32_t boardY, uint32_t tileX, uint32_t tileY) {
  return (1u << TINSEL_ADDR_ACCELERATOR_BIT) | tinselToAddr(boardX, boardY, tileX, tileY, 0, 0);
}

/// Base of a thread's DRAM partition, in the view that interleaves partitions line by line.
INLINE uint32_t tinselHeapBaseGeneric(uint32_t id) {
  const uint32_t part = id & (TinselThreadsPerDRAM - 1);
  return ((1u << TinselLogBytesPerDRAM) - ((part + 1) << TinselLogBytesPerDRAMPartition)) | 0x80000000u;
}

/// Base of a thread's SRAM partition.
INLINE uint32_t tinselHeapBaseSRAMGeneric(uint32_t id) {
  const uint32_t part = id & (TinselThreadsPerDRAM - 1);
  return (1u << TinselLogBytesPerSRAM) + (part << TinselLogBytesPerSRAMPartition);
}

#endif
