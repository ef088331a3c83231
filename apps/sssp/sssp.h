// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths with non-negative integer weights. Asynchronous: a vertex that learns of a
// shorter way tells its neighbours at once. Synchronous: it waits for the end of the superstep. Source:
// Tinsel paper, figure 8.
#pragma once

#include <POLite.h>

inline constexpr uint32_t kUnreached = 0xffffffff;

struct SsspState {
  uint32_t id;
  uint32_t distance;   ///< shortest known; kUnreached at first
  uint32_t candidate;  ///< synchronous form: shortest heard of in this superstep
  uint32_t is_source;
};

struct SsspResult {
  uint32_t id;
  uint32_t distance;
};

struct SsspMessage {
  uint32_t distance;
};

/// What both forms share. A path whose length leaves 32 bits is passed over.
struct SsspBase : PDevice<SsspState, uint32_t, SsspMessage> {
  typedef PMin<uint32_t> Combiner;
  static constexpr bool monotone = true;
  static INLINE void along(SsspMessage& message, uint32_t weight) {
    const uint32_t distance = message.distance + weight;
    message.distance = distance < weight ? kUnreached : distance;
  }
  static INLINE uint32_t neutralLabel() { return 0; }

  INLINE void init() {
    s->distance = s->is_source ? 0 : kUnreached;
    s->candidate = s->distance;
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  INLINE void send(SsspMessage* msg) {
    msg->distance = s->distance;
    *readyToSend = No;
  }
  /// Whether `distance`, a sum that ends with `weight`, is below `known` and has not wrapped.
  static INLINE bool is_shorter(uint32_t distance, uint32_t weight, uint32_t known) {
    return distance < known && distance >= weight;
  }
  INLINE bool finish(SsspResult* msg) {
    msg->id = s->id;
    msg->distance = s->distance;
    return true;
  }
};

struct SsspAsync : SsspBase {
  INLINE void recv(SsspMessage* msg, const uint32_t* weight) {
    const uint32_t distance = msg->distance + *weight;
    if (is_shorter(distance, *weight, s->distance)) {
      s->distance = distance;
      *readyToSend = Pin(0);
    }
  }
  INLINE bool step() { return false; }
};

struct SsspSync : SsspBase {
  static constexpr bool recvNeverSends = true;
  INLINE void recv(SsspMessage* msg, const uint32_t* weight) {
    const uint32_t distance = msg->distance + *weight;
    if (is_shorter(distance, *weight, s->candidate)) s->candidate = distance;
  }
  INLINE bool step() {
    if (s->candidate >= s->distance) return false;
    s->distance = s->candidate;
    *readyToSend = Pin(0);
    return true;
  }
};
