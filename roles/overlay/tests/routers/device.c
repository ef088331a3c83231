// SPDX-License-Identifier: Apache-2.0
// Sends by keys in rounds that tinselIdle ends, and notes what it hears: what a thread is to send, and the
// list of what it has heard, lie in its SRAM partition, written and read by the host (host.cc).
#include <tinsel.h>

#include "roles/overlay/tests/routers/lists.h"

static void hear(volatile struct List* list, uint32_t round) {
  volatile uint32_t* message = (volatile uint32_t*)tinselRecv();
  const uint32_t third = message[2];
  const uint32_t words = (third & 3) * 4 + 4;
  uint32_t whole = 1;
  for (uint32_t i = 3; i < words; ++i) whole &= message[i] == third + i;
  volatile struct Heard* heard = &list->heard[list->num_heard];
  if (list->num_heard < MOST_HEARD) {
    heard->round = round;
    heard->first = message[0];
    heard->second = message[1];
    heard->third = whole ? third : ~third;
  }
  ++list->num_heard;
  tinselFree((volatile void*)message);
}

int main() {
  volatile struct List* list = (volatile struct List*)tinselHeapBaseSRAM();
  volatile uint32_t* slot = (volatile uint32_t*)tinselSendSlot();
  uint32_t next = 0, round = 0, begin = 0;
  for (;;) {
    while (next < list->num_to_send && list->to_send[next].round == round) {
      while (!tinselCanSend()) {
        if (tinselCanRecv()) hear(list, round);
      }
      const volatile struct ToSend* send = &list->to_send[next++];
      const uint32_t flits = (send->third & 3) + 1;
      slot[0] = send->first;
      slot[1] = send->second;
      for (uint32_t i = 2; i < 4 * flits; ++i) slot[i] = i == 2 ? send->third : send->third + i;
      tinselSetLen((int)flits - 1);
      tinselKeySend((int)send->key, slot);
    }
    while (tinselCanRecv()) hear(list, round);
    const int idle = tinselIdle(next == list->num_to_send);
    if (idle > 1) break;
    if (idle == 1 && round++ == 0) begin = tinselCycleCount();
  }
  list->cycles = tinselCycleCount() - begin;
  tinselCacheFlush();
  // In memory once a flushed line has come back.
  slot[0] = tinselId();
  slot[1] = list->num_heard;
  while (!tinselCanSend()) {
  }
  tinselSetLen(0);
  tinselSend((int)tinselHostId(), slot);
  return 0;
}
