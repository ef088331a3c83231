// SPDX-License-Identifier: Apache-2.0
// PageRank, synchronous: x = (1-d)/n + d * sum over in-edges of x(u)/outdeg(u), K updates from the uniform
// start. Dangling vertices' mass is dropped; parallel edges and loops count. One superstep an update; each
// vertex sends its share once and adds what arrives, in runs of kRun: a hub of ten thousand in-edges would
// else lose single precision to rounding. Source: Tinsel paper, section VI.
#pragma once

#include <POLite.h>

/// Shares added up before they go into the sum of sums.
inline constexpr uint32_t kRun = 64;

struct PageRankState {
  float score;          ///< x; the host sets 1/n
  float run;            ///< shares received in this superstep, since the last kRun
  float sum;            ///< those before
  uint32_t left;        ///< shares until the run is full
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
  typedef PSum<float> Combiner;
  static constexpr bool recvNeverSends = true;
  static constexpr bool sendsEveryStep = true;
  /// Dangling vertices too: sending to nobody costs less than a branch that nobody can foresee.
  INLINE void request() { *readyToSend = Pin(0); }

  INLINE void init() {
    *readyToSend = No;
    s->left = kRun;
    if (s->iterations > 0) request();
  }
  INLINE void send(PageRankMessage* msg) {
    msg->share = s->score * s->share;
    *readyToSend = No;
  }
  INLINE void recv(PageRankMessage* msg, None*) {
    s->run += msg->share;
    if (--s->left == 0) end_run();
  }
  INLINE void end_run() {
    s->sum += s->run;
    s->run = 0;
    s->left = kRun;
  }
  INLINE bool step() {
    if (time >= s->iterations) return false;
    end_run();
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
