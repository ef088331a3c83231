// SPDX-License-Identifier: Apache-2.0
// Average shortest path by multi-source breadth-first search: up to 448 searches at once, one bit each; a
// superstep is one level. A vertex sends the searches that reached it in this level. Source: Multicast paper,
// section VI.
#pragma once

#include <POLite.h>

inline constexpr uint32_t kAspWords = 14;
inline constexpr uint32_t kAspSources = 32 * kAspWords;
inline constexpr uint32_t kNoSource = 0xffffffff;

struct AspState {
  uint32_t id;
  uint32_t source;            ///< number of the search that starts here, or kNoSource
  uint32_t sum;               ///< of the distances from all sources that reach this vertex
  uint32_t reached;           ///< how many do
  uint32_t level;             ///< supersteps so far (PDevice::time has only 16 bits)
  uint32_t words;             ///< that the searches fill; what lies behind is 0
  uint32_t seen[kAspWords];   ///< searches that have reached this vertex
  uint32_t fresh[kAspWords];  ///< those that did in this level, to be sent
  uint32_t heard[kAspWords];  ///< those that neighbours sent in this level
};

struct AspResult {
  uint32_t id;
  uint32_t sum;
  uint32_t reached;
};

union AspMessage {
  uint32_t fresh[kAspWords];
  AspResult result;
};

/// Bits set in a word, without the table or instruction that small cores lack.
INLINE uint32_t count_bits(uint32_t x) {
  x -= (x >> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f;
  return (x * 0x01010101) >> 24;
}

struct AspVertex : PDevice<AspState, None, AspMessage> {
  typedef POr<uint32_t> Combiner;
  static constexpr bool monotone = true;  // who has seen a search needs not hear of it again
  static constexpr bool recvNeverSends = true;
  INLINE void init() {
    *readyToSend = No;
    if (s->source == kNoSource) return;
    s->fresh[s->source / 32] = 1u << (s->source % 32);
    s->seen[s->source / 32] = s->fresh[s->source / 32];
    s->reached = 1;
    *readyToSend = Pin(0);
  }
  INLINE void send(AspMessage* msg) {
    for (uint32_t i = 0; i < kAspWords; ++i) msg->fresh[i] = s->fresh[i];
    *readyToSend = No;
  }
  INLINE void recv(AspMessage* msg, None*) {
    for (uint32_t i = 0; i < s->words; ++i) s->heard[i] |= msg->fresh[i];
  }
  INLINE bool step() {
    uint32_t found = 0;
    s->level++;
    for (uint32_t i = 0; i < s->words; ++i) {
      const uint32_t fresh = s->heard[i] & ~s->seen[i];
      s->heard[i] = 0;
      s->fresh[i] = fresh;
      s->seen[i] |= fresh;
      found += count_bits(fresh);
    }
    if (found == 0) return false;
    s->sum += found * s->level;
    s->reached += found;
    *readyToSend = Pin(0);
    return true;
  }
  INLINE bool finish(AspMessage* msg) {
    msg->result.id = s->id;
    msg->result.sum = s->sum;
    msg->result.reached = s->reached;
    return true;
  }
};
