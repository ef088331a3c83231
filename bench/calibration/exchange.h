// SPDX-License-Identifier: Apache-2.0
// The loop of both exchange benchmarks: send to each partner in turn, receive whatever comes, never block on
// sending.
#pragma once

#include "bench/common/device.h"

/// Sends `rounds` messages of `flits` flits to each of `count` threads and takes as many as they send back.
static inline void exchange(const uint32_t* partners, uint32_t count, uint32_t rounds, uint32_t flits) {
  volatile void* slot = tinselSendSlot();
  tinselSetLen((int)flits - 1);
  uint32_t to_send = count * rounds, to_receive = count * rounds, next = 0;
  while (to_send != 0 || to_receive != 0) {
    if (to_send != 0 && tinselCanSend()) {
      tinselSend((int)partners[next], slot);
      next = next + 1 == count ? 0 : next + 1;
      to_send--;
    }
    while (to_receive != 0 && tinselCanRecv()) {
      tinselFree(tinselRecv());
      to_receive--;
    }
    if (to_send != 0) {
      tinselWaitUntil(TINSEL_CAN_SEND | TINSEL_CAN_RECV);
    } else if (to_receive != 0) {
      tinselWaitUntil(TINSEL_CAN_RECV);
    }
  }
}
