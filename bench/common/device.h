// SPDX-License-Identifier: Apache-2.0
// What bare-metal benchmark programs share: lining up, and telling the host four words.
#pragma once

#include <tinsel.h>

/// Sends (id, a, b, c) to the host in one flit.
static inline void report(uint32_t a, uint32_t b, uint32_t c) {
  volatile uint32_t* slot = (volatile uint32_t*)tinselSendSlot();
  tinselWaitUntil(TINSEL_CAN_SEND);
  slot[0] = tinselId();
  slot[1] = a;
  slot[2] = b;
  slot[3] = c;
  tinselSetLen(0);
  tinselSend((int)tinselHostId(), slot);
}

/// Waits until every thread of the machine is here and no message is on its way.
static inline void line_up(void) {
  while (tinselIdle(0) == 0) {
  }
}

/// First thread of a tile: the one whose core shows the tile's cache counters.
static inline int first_of_tile(void) { return tinselId() % TinselThreadsPerMailbox == 0; }
