// SPDX-License-Identifier: Apache-2.0
// The threads of each tile exchange messages with the same threads of the neighbouring tiles of their board.
// Thread 0 reports the cycles. What is counted: bench/calibration/noc.c, with a loop that a tile's four cores
// run fast enough for its ports.
#include "bench/noc/stream.h"

int main() {
  uint32_t bx, by, x, y, core, thread, mailboxes[4] = {0, 0, 0, 0}, count = 0;
  tinselFromAddr(tinselId(), &bx, &by, &x, &y, &core, &thread);
  const uint32_t up = tinselToAddr(bx, by, x, y + 1, 0, 0) >> TinselLogThreadsPerMailbox;
  const uint32_t right = tinselToAddr(bx, by, x + 1, y, 0, 0) >> TinselLogThreadsPerMailbox;
  const uint32_t down = tinselToAddr(bx, by, x, y - 1, 0, 0) >> TinselLogThreadsPerMailbox;
  const uint32_t left = tinselToAddr(bx, by, x - 1, y, 0, 0) >> TinselLogThreadsPerMailbox;
  if (y + 1 < TILES_Y) mailboxes[count++] = up;
  if (x + 1 < TILES_X) mailboxes[count++] = right;
  if (y > 0) mailboxes[count++] = down;
  if (x > 0) mailboxes[count++] = left;
  // Threads begin with different neighbours; else a tile's messages wait behind others for the same
  // neighbour.
  for (uint32_t i = thread % count; i != 0; i--) {
    const uint32_t first = mailboxes[0];
    for (uint32_t j = 0; j + 1 < count; j++) mailboxes[j] = mailboxes[j + 1];
    mailboxes[count - 1] = first;
  }
  line_up();
  const uint32_t start = tinselCycleCount();
  stream(mailboxes, count, ROUNDS, FLITS);
  const uint32_t cycles = tinselCycleCount() - start;
  if (tinselId() == 0) report(cycles, ROUNDS, FLITS);
  return 0;
}
