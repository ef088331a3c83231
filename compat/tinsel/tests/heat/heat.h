// SPDX-License-Identifier: Apache-2.0
// Heat on a grid, self-timed: no vertex waits for a global step, only for its neighbours (globally
// asynchronous, locally synchronous). A vertex at time t may hear from neighbours that are at t or one ahead
// at t + 1. Integers, so that the result does not depend on the order of messages.
#ifndef HEAT_H
#define HEAT_H

#include <POLite.h>

struct HeatMessage {
  uint32_t from;  // vertex number; used by the host only
  int32_t value;
  uint32_t time;
};

struct HeatState {
  uint32_t id;
  uint32_t time;
  uint32_t numSteps;
  int32_t value;
  int32_t sum[2];    // of the neighbours' values, for this time and the next
  uint8_t count[2];  // of them that have come
  uint8_t fanIn;
  uint8_t sent;
  uint32_t isConstant;  // the border keeps its temperature
};

struct HeatDevice : PDevice<HeatState, None, HeatMessage> {
  // Moves on while everything of the present time is here and our own value has left.
  INLINE void advance() {
    if (s->sent && s->count[0] == s->fanIn) {
      if (!s->isConstant) s->value = s->sum[0] / s->fanIn;
      s->sum[0] = s->sum[1];
      s->count[0] = s->count[1];
      s->sum[1] = 0;
      s->count[1] = 0;
      s->sent = 0;
      s->time++;
      *readyToSend = s->time < s->numSteps ? Pin(0) : No;
    }
  }

  INLINE void init() { *readyToSend = s->numSteps > 0 ? Pin(0) : No; }

  INLINE void send(volatile HeatMessage* msg) {
    msg->from = s->id;
    msg->value = s->value;
    msg->time = s->time;
    s->sent = 1;
    *readyToSend = No;
    advance();
  }

  INLINE void recv(HeatMessage* msg, None* edge) {
    (void)edge;
    const uint32_t ahead = msg->time - s->time;
    s->sum[ahead] += msg->value;
    s->count[ahead]++;
    advance();
  }

  INLINE bool step() { return false; }

  INLINE bool finish(volatile HeatMessage* msg) {
    msg->from = s->id;
    msg->value = s->value;
    msg->time = s->time;
    return true;
  }
};

#endif
