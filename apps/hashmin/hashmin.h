// SPDX-License-Identifier: Apache-2.0
// Connected components by minimum label (HashMin): every vertex ends with the smallest vertex number of its
// component. The host adds the reverse of every edge, so directions do not matter. Source: Tinsel paper,
// section VI.
#pragma once

#include <POLite.h>

struct HashMinState {
  uint32_t id;
  uint32_t label;
};

struct HashMinResult {
  uint32_t id;
  uint32_t label;
};

struct HashMinMessage {
  uint32_t label;
};

struct HashMinVertex : PDevice<HashMinState, None, HashMinMessage> {
  typedef PMin<uint32_t> Combiner;
  static constexpr bool monotone = true;
  INLINE void init() {
    s->label = s->id;
    *readyToSend = Pin(0);
  }
  INLINE void send(HashMinMessage* msg) {
    msg->label = s->label;
    *readyToSend = No;
  }
  INLINE void recv(HashMinMessage* msg, None*) {
    if (msg->label < s->label) {
      s->label = msg->label;
      *readyToSend = Pin(0);
    }
  }
  INLINE bool step() { return false; }
  INLINE bool finish(HashMinResult* msg) {
    msg->id = s->id;
    msg->label = s->label;
    return true;
  }
};
