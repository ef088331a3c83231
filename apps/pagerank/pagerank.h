// SPDX-License-Identifier: Apache-2.0
// PageRank, synchronous: x = (1-d)/n + d * sum over in-edges of x(u)/outdeg(u), K updates from the uniform
// start. Dangling vertices' mass is dropped; parallel edges and loops count. One superstep an update; each
// vertex sends its share once and adds what arrives. Source: Tinsel paper, section VI.
#pragma once

#include <POLite.h>

struct PageRankState {
  float score;          ///< x; the host sets 1/n
  float sum;            ///< shares received in this superstep
  float share;          ///< d / outdeg, 0 for a dangling vertex
  float base;           ///< (1-d)/n
  uint32_t id;          ///< vertex number, for the answer
  uint32_t iterations;  ///< updates to make
};

struct PageRankResult {
  uint32_t id;
  float score;
};

struct PageRankMessage {
  float share;
};

struct PageRankVertex : PDevice<PageRankState, None, PageRankMessage> {
  INLINE void request() { *readyToSend = s->share > 0 ? Pin(0) : No; }

  INLINE void init() {
    *readyToSend = No;
    if (s->iterations > 0) request();
  }
  INLINE void send(PageRankMessage* msg) {
    msg->share = s->score * s->share;
    *readyToSend = No;
  }
  INLINE void recv(PageRankMessage* msg, None*) { s->sum += msg->share; }
  INLINE bool step() {
    if (time >= s->iterations) return false;
    s->score = s->base + s->sum;
    s->sum = 0;
    if (time + 1u == s->iterations) return false;
    request();
    return true;
  }
  INLINE bool finish(PageRankResult* msg) {
    msg->id = s->id;
    msg->score = s->score;
    return true;
  }
};
