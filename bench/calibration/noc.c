// SPDX-License-Identifier: Apache-2.0
// The threads of each tile exchange messages with the same threads of the neighbouring tiles of their board.
// Thread 0 reports the cycles. Source: Tinsel paper, section V, Communication (14.4 GB/s of 32 GB/s).
#include "bench/calibration/exchange.h"

int main() {
  uint32_t bx, by, x, y, core, thread, partners[4], count = 0;
  tinselFromAddr(tinselId(), &bx, &by, &x, &y, &core, &thread);
  if (y + 1 < TILES_Y) partners[count++] = tinselToAddr(bx, by, x, y + 1, core, thread);
  if (x + 1 < TILES_X) partners[count++] = tinselToAddr(bx, by, x + 1, y, core, thread);
  if (y > 0) partners[count++] = tinselToAddr(bx, by, x, y - 1, core, thread);
  if (x > 0) partners[count++] = tinselToAddr(bx, by, x - 1, y, core, thread);
  line_up();
  const uint32_t start = tinselCycleCount();
  exchange(partners, count, ROUNDS, FLITS);
  line_up();
  const uint32_t cycles = tinselCycleCount() - start;
  if (tinselId() == 0) report(cycles, ROUNDS, FLITS);
  return 0;
}
