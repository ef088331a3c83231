// SPDX-License-Identifier: Apache-2.0
// Vertex programs that the tests run on the device's code and check against direct computations.
#pragma once

#define POLITE_NUM_PINS 2
#include <POLite.h>

/// Weighted shortest paths (Tinsel paper figure 8) on two pins: an improvement goes out on pin 0, then on
/// pin 1.
struct DistState {
  uint32_t id;
  int32_t dist;
};
struct DistVertex : PVertex<DistState, int32_t, DistState> {
  void init() { *readyToSend = s->dist == 0 ? Pin(0) : No; }
  void send(volatile DistState* m) {
    m->dist = s->dist;
    *readyToSend = *readyToSend == Pin(0) ? Pin(1) : No;
  }
  void recv(DistState* m, int32_t* weight) {
    if (m->dist + *weight < s->dist) {
      s->dist = m->dist + *weight;
      *readyToSend = Pin(0);
    }
  }
  bool step() { return false; }
  bool finish(volatile DistState* m) {
    m->id = s->id;
    m->dist = s->dist;
    return true;
  }
};

/// Numbers added up along a graph without cycles, in accumulators: a vertex has heard of all before it when
/// as many messages have come as it has in-edges on pin 0. It says so on pin 0, and what it has heard on pin
/// 1 does not count.
struct GatherState {
  uint32_t id, expected, value;
  uint32_t more[5];  ///< makes states larger than accumulators' addresses would allow
};
struct GatherSums {
  uint32_t sum, heard, aside;
};
struct GatherMessage {
  uint32_t value, counts;
};
struct GatherVertex : PDevice<GatherState, None, GatherMessage, GatherSums> {
  void init() {
    s->value = s->id;
    a->heard = 0x80000000u - s->expected;
    *readyToSend = s->expected == 0 ? Pin(0) : Pin(1);
  }
  bool complete() const { return a->heard == 0x80000000u; }
  void send(GatherMessage* m) {
    m->counts = *readyToSend == Pin(0);
    m->value = m->counts ? s->value : s->id;
    *readyToSend = !m->counts && complete() ? Pin(0) : No;
  }
  bool recv(GatherMessage* m, None*) {
    if (m->counts) {
      a->sum += m->value;
      ++a->heard;
      return complete();
    }
    a->aside += m->value % numVertices;
    return false;
  }
  void absorb() {
    s->value += a->sum;
    if (*readyToSend == No) *readyToSend = Pin(0);
  }
  bool step() {
    s->more[0] = a->aside;
    return false;
  }
  bool finish(GatherMessage* m) {
    m->value = s->value;
    m->counts = s->more[0];
    return true;
  }
};

/// Watches the softswitch: rounds, calls with a wrong readyToSend, delivery of the last round's messages.
struct WatchState {
  uint32_t id, first;  ///< the pin that it asks for at once
  uint32_t rounds, timeSum, sends, wrongSends, received;
  uint32_t bulk[4];  ///< makes messages of several flits worth while
};
struct WatchMessage {
  uint32_t id, kind, a, b, c, d;
};
struct WatchVertex : PDevice<WatchState, None, WatchMessage> {
  enum { Rounds = 5, FromSend = 1, FromFinish = 2 };
  void init() { *readyToSend = (PPin)s->first; }
  void send(WatchMessage* m) {
    if (*readyToSend == No) s->wrongSends++;
    s->sends++;
    m->id = s->id;
    m->kind = FromSend;
    m->a = numVertices;
    m->b = time;
    // Pin 1 first, then pin 0, then silence.
    *readyToSend = *readyToSend == Pin(1) ? Pin(0) : No;
  }
  void recv(WatchMessage* m, None*) {
    if (m->kind == FromSend) s->received++;
    // A vertex with an odd id that wanted to send on pin 1 no longer does; the queue must notice.
    if (s->id % 2 == 1 && *readyToSend == Pin(1)) *readyToSend = No;
  }
  bool step() {
    s->rounds++;
    s->timeSum += time;
    // Also in the last round, whose step returns false: that traffic must arrive before finish.
    *readyToSend = Pin(1);
    return time < Rounds;
  }
  bool finish(WatchMessage* m) {
    m->id = s->id;
    m->kind = FromFinish;
    m->a = s->rounds;
    m->b = s->timeSum;
    m->c = s->sends | s->wrongSends << 16;
    m->d = s->received;
    return s->id % 3 != 2;
  }
};
