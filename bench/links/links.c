// SPDX-License-Identifier: Apache-2.0
// The threads of two boards, one east of the other, send to the same thread of the other board as fast as the
// link takes it, so both its directions are loaded. Thread 0 reports the cycles.
#include "bench/noc/stream.h"

int main() {
  uint32_t bx, by, x, y, core, thread, mailboxes[4] = {0, 0, 0, 0};
  tinselFromAddr(tinselId(), &bx, &by, &x, &y, &core, &thread);
  mailboxes[0] = tinselToAddr(1 - bx, by, x, y, 0, 0) >> TinselLogThreadsPerMailbox;
  line_up();
  const uint32_t start = tinselCycleCount();
  stream(mailboxes, 1, ROUNDS, FLITS);
  const uint32_t cycles = tinselCycleCount() - start;
  if (tinselId() == 0) report(cycles, ROUNDS, FLITS);
  return 0;
}
