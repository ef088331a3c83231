// SPDX-License-Identifier: Apache-2.0
// The threads of each board exchange messages with the same threads of up to four neighbouring boards. Thread
// 0 reports the cycles. Source: Tinsel paper, section V, Communication (32.1 GB/s of 42.5 GB/s on 3 x 4
// boards).
#include "bench/calibration/exchange.h"

int main() {
  uint32_t bx, by, x, y, core, thread, partners[4], count = 0;
  tinselFromAddr(tinselId(), &bx, &by, &x, &y, &core, &thread);
  if (by + 1 < BOARDS_Y) partners[count++] = tinselToAddr(bx, by + 1, x, y, core, thread);
  if (bx + 1 < BOARDS_X) partners[count++] = tinselToAddr(bx + 1, by, x, y, core, thread);
  if (by > 0) partners[count++] = tinselToAddr(bx, by - 1, x, y, core, thread);
  if (bx > 0) partners[count++] = tinselToAddr(bx - 1, by, x, y, core, thread);
  line_up();
  const uint32_t start = tinselCycleCount();
  exchange(partners, count, ROUNDS, FLITS);
  line_up();
  const uint32_t cycles = tinselCycleCount() - start;
  if (tinselId() == 0) report(cycles, ROUNDS, FLITS);
  return 0;
}
