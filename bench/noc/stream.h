// SPDX-License-Identifier: Apache-2.0
// The loop of bench/noc and bench/links: send to each partner in turn, take whatever comes. 9 instructions a
// message that is sent and one that is taken (bench/calibration/exchange.h: 43). Partners are in registers;
// the length, the slot and the mask are set once, as each message goes to the thread of the same number.
#pragma once

#include "bench/common/device.h"

/// Takes one message.
static inline void take(void) { tinselFree(tinselRecv()); }

/// Waits until a message can be sent and sends it, never without taking what has come.
static inline void send_one(uint32_t mailbox, uint32_t mask_high, uint32_t mask_low) {
  uint32_t can;
  do {
    __asm__ volatile("csrrw %0, " CSR_WAIT_UNTIL ", %1"
                     : "=r"(can)
                     : "r"(TINSEL_CAN_SEND | TINSEL_CAN_RECV)
                     : "memory");
    if (can & TINSEL_CAN_RECV) take();
  } while ((can & TINSEL_CAN_SEND) == 0);
  POLYLOOM_CSR_WRITE(CSR_SEND_DEST, mailbox);
  register uint32_t high __asm__("a0") = mask_high;
  register uint32_t low __asm__("a1") = mask_low;
  __asm__ volatile(".4byte 0x00b50008" : : "r"(high), "r"(low) : "memory");  // Send
}

/// Sends `rounds` messages of `flits` flits to the thread of this number in each of `count` mailboxes (1 to
/// 4), takes what comes, and returns when no message of the machine is on its way.
static inline void stream(const uint32_t* mailboxes, uint32_t count, uint32_t rounds, uint32_t flits) {
  const uint32_t thread = tinselId() & (TinselThreadsPerMailbox - 1), bit = 1u << (thread & 31);
  const uint32_t high = thread >= 32 ? bit : 0, low = thread >= 32 ? 0 : bit;
  const uint32_t a = mailboxes[0], b = mailboxes[1], c = mailboxes[2], d = mailboxes[3];
  tinselSetLen((int)flits - 1);
  POLYLOOM_CSR_WRITE(CSR_SEND_PTR, tinselSendSlot());
  for (uint32_t i = 0; i < rounds; i++) {
    send_one(a, high, low);
    if (count > 1) send_one(b, high, low);
    if (count > 2) send_one(c, high, low);
    if (count > 3) send_one(d, high, low);
  }
  while (tinselIdle(0) == 0) take();
}
