// SPDX-License-Identifier: Apache-2.0
// PageRank, globally asynchronous and locally synchronous: a vertex makes its next update as soon as it has
// heard from all its neighbours, without barriers. Back edges of weight 0 keep neighbours within one update
// of each other, so two sums and two counts are enough on any directed graph. Source: Tinsel paper, section
// VI (figure 12, GALS).
#pragma once

#include <POLite.h>

struct GalsState {
  float score;
  float sum[2];       ///< by parity of the update
  uint32_t heard[2];  ///< messages received, by parity
  uint32_t expected;  ///< in-edges, back edges included
  float share;        ///< d / outdeg, 0 for a dangling vertex
  float base;         ///< (1-d)/n
  uint32_t id;
  uint32_t iterations;  ///< updates to make
  uint32_t done;        ///< updates made
  uint32_t sent;        ///< updates whose share has been sent
};

struct GalsResult {
  uint32_t id;
  float score;
};

struct GalsShare {
  float share;
  uint32_t update;  ///< the update that this share is for
};

union GalsMessage {
  GalsShare share;
  GalsResult result;
};

/// The label is 1 on edges of the graph and 0 on back edges.
struct GalsVertex : PDevice<GalsState, float, GalsMessage> {
  /// Makes the updates that are possible now, one for each complete set of messages.
  INLINE void advance() {
    while (s->done < s->sent && s->heard[s->done & 1] == s->expected) {
      const uint32_t parity = s->done & 1;
      s->score = s->base + s->sum[parity];
      s->sum[parity] = 0;
      s->heard[parity] = 0;
      s->done++;
      request();
    }
  }
  /// A vertex without neighbours has nobody to wait for: it makes all updates at once.
  INLINE void request() { *readyToSend = s->done < s->iterations && s->expected > 0 ? Pin(0) : No; }

  INLINE void init() {
    *readyToSend = No;
    if (s->expected == 0 && s->iterations > 0) s->score = s->base;
    request();
  }
  INLINE void send(GalsMessage* msg) {
    msg->share.share = s->score * s->share;
    msg->share.update = s->sent;
    *readyToSend = No;
    s->sent++;
    advance();
  }
  INLINE void recv(GalsMessage* msg, const float* weight) {
    const uint32_t parity = msg->share.update & 1;
    s->sum[parity] += msg->share.share * *weight;
    s->heard[parity]++;
    advance();
  }
  INLINE bool step() { return false; }
  INLINE bool finish(GalsMessage* msg) {
    msg->result.id = s->id;
    msg->result.score = s->score;
    return true;
  }
};
