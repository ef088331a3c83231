/* SPDX-License-Identifier: Apache-2.0 */
/* The words of ENGINE.md, for C and C++: what a program's MPI layer and its engine say to each other. */
#pragma once

#include <stdint.h>

enum {
  POLYLOOM_SEND = 1,
  POLYLOOM_SSEND = 2,
  POLYLOOM_RECV = 3,
  POLYLOOM_WAIT = 4,
  POLYLOOM_TEST = 5,
  POLYLOOM_PROBE = 6,
  POLYLOOM_IPROBE = 7,
  POLYLOOM_SEND_WAIT = 8,
  POLYLOOM_SSEND_WAIT = 9,
  POLYLOOM_RECV_WAIT = 10,
  POLYLOOM_CANCEL = 11,
  /* No command: what a CPU rank in MPI_Finalize says that it waits for, with a send that is not complete. */
  POLYLOOM_FINALIZE = 12
};

enum {
  POLYLOOM_OK = 0,
  POLYLOOM_TRUNCATED = 1,
  POLYLOOM_TYPE_DIFFERS = 2,
  POLYLOOM_NO_RESPONSE = 3,
  POLYLOOM_TOO_MANY = 4,
  POLYLOOM_NO_SUCH = 5,
  POLYLOOM_BAD_ADDRESS = 6
};

/* Bytes that a message has whose receive was cancelled. */
#define POLYLOOM_CANCELLED 0xFFFFFFFFu

/* In the type field of a TEST: what is complete stays so. */
enum { POLYLOOM_KEEP = 0x80 };

enum { POLYLOOM_ANY_RANK = 0xFFFF, POLYLOOM_ANY_TAG = -1, POLYLOOM_SYSTEM = 0xFFFF };

/* op, type, peer, tag */
static inline uint64_t polyloom_word0(unsigned op, unsigned type, unsigned peer, int32_t tag) {
  return (uint64_t)(op & 0xFFu) | (uint64_t)(type & 0xFFu) << 8 | (uint64_t)(peer & 0xFFFFu) << 16 |
         (uint64_t)(uint32_t)tag << 32;
}

/* comm, handle, address: its lower half; CPU ranks have the upper half in word 2 */
static inline uint64_t polyloom_word1(unsigned comm, unsigned handle, const void* address) {
  return (uint64_t)(comm & 0xFFFFu) | (uint64_t)(handle & 0xFFFFu) << 16 |
         (uint64_t)(uint32_t)(uintptr_t)address << 32;
}

static inline uint64_t polyloom_word2(uint32_t bytes, const void* address) {
#ifdef POLYLOOM_KERNEL
  (void)address;
  return bytes;
#else
  return bytes | (uint64_t)(uintptr_t)address >> 32 << 32;
#endif
}

static inline unsigned polyloom_response_error(uint64_t word0) { return (unsigned)(word0 & 0xFFu); }
static inline unsigned polyloom_response_done(uint64_t word0) { return (unsigned)(word0 >> 8 & 1u); }
static inline unsigned polyloom_response_handle(uint64_t word0) { return (unsigned)(word0 >> 16 & 0xFFFFu); }
static inline int32_t polyloom_response_tag(uint64_t word0) { return (int32_t)(uint32_t)(word0 >> 32); }
static inline uint32_t polyloom_response_bytes(uint64_t word1) { return (uint32_t)word1; }
