// SPDX-License-Identifier: Apache-2.0
// Every thread says who it is. The library's helpers (division, soft double, string functions) must link and
// work.
#include <tinsel.h>

struct Block {
  unsigned words[20];
};

static Block twice(const Block& block) {
  Block copy = block;  // memcpy behind the program's back
  for (int i = 0; i < 20; i++) copy.words[i] *= 2;
  return copy;
}

int main() {
  const unsigned id = tinselId();
  Block block;
  for (int i = 0; i < 20; i++) block.words[i] = id + i;
  const Block doubled = twice(block);
  volatile double x = doubled.words[19];
  const unsigned check = (unsigned)(x * 0.5) / 3 + (unsigned)((uint64_t)id * 1000000007ull % 1000003ull);
  printf("Hello from thread %x, check %u, %s%c", id, check, "bye", '\n');
  return 0;
}
