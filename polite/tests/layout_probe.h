// SPDX-License-Identifier: Apache-2.0
// Sizes and offsets of everything that host and device share, for sample types. Compiled for both; the test
// compares.
#pragma once

#include "polite/layout.h"
#include "polite/types.h"

#ifdef TINSEL
#define POLYLOOM_PROBE_SECTION __attribute__((section(".probe"), used))
#else
#define POLYLOOM_PROBE_SECTION
#endif

namespace polyloom {
namespace polite {
namespace probe {

struct Small {
  uint16_t a;
};
struct Wide {
  double d;
  int64_t i;
  uint8_t b;
};
struct Large {
  float f[40];
  uint8_t b;
};

#define POLYLOOM_PROBE_TYPE(T)                                                                              \
  sizeof(PState<T>), alignof(PState<T>), state_offset<T>(), __builtin_offsetof(StateHead<T>, readyToSend),  \
      __builtin_offsetof(StateHead<T>, queued), sizeof(PInEdge<T>), label_offset<T>(), sizeof(PMessage<T>), \
      __builtin_offsetof(PMessage<T>, payload)

POLYLOOM_PROBE_SECTION extern const uint32_t kProbe[] = {
    sizeof(PThreadHead),
    __builtin_offsetof(PThreadHead, numVertices),
    __builtin_offsetof(PThreadHead, devices),
    __builtin_offsetof(PThreadHead, outTable),
    __builtin_offsetof(PThreadHead, inTable),
    __builtin_offsetof(PThreadHead, senders),
    sizeof(POutEdge),
    __builtin_offsetof(POutEdge, mbox),
    __builtin_offsetof(POutEdge, maskLow),
    __builtin_offsetof(POutEdge, maskHigh),
    sizeof(PInEdge<None>),
    POLYLOOM_PROBE_TYPE(Small),
    POLYLOOM_PROBE_TYPE(Wide),
    POLYLOOM_PROBE_TYPE(Large),
    POLYLOOM_PROBE_TYPE(uint8_t),
    POLYLOOM_PROBE_TYPE(float),
    POLYLOOM_PROBE_TYPE(int32_t),
};

}  // namespace probe
}  // namespace polite
}  // namespace polyloom
