// SPDX-License-Identifier: Apache-2.0
// A token goes round a ring of threads. The host gives it to thread 0 of board (0,0), which gives it back.
#include "ring.h"

#include <tinsel.h>

static unsigned next(unsigned me, unsigned boards) {
  uint32_t boardX, boardY, tileX, tileY, core, thread;
  tinselFromAddr(me, &boardX, &boardY, &tileX, &tileY, &core, &thread);
  const unsigned local = me & (TinselThreadsPerBoard - 1);
  if (local + 1 < RING_THREADS_PER_BOARD) return me + 1;
  return tinselToAddr(boardX + 1 == boards ? 0 : boardX + 1, 0, 0, 0, 0, 0);
}

int main() {
  const unsigned me = tinselId();
  if ((me & (TinselThreadsPerBoard - 1)) >= RING_THREADS_PER_BOARD) return 0;
  volatile Token* out = (volatile Token*)tinselSendSlot();
  tinselSetLen(0);
  for (;;) {
    tinselWaitUntil(TINSEL_CAN_RECV);
    volatile Token* in = (volatile Token*)tinselRecv();
    const unsigned boards = in->boards;
    const unsigned laps = in->laps, hops = in->hops, sum = in->sum;
    tinselFree(in);
    const bool lapEnds = me == 0 && hops > 0;
    const bool done = lapEnds && laps == 1;
    tinselWaitUntil(TINSEL_CAN_SEND);
    out->laps = lapEnds ? laps - 1 : laps;
    out->boards = boards;
    out->hops = done ? hops : hops + 1;
    out->sum = done ? sum : sum + me;
    tinselSend(done ? tinselHostId() : next(me, boards), out);
  }
  return 0;
}
