// SPDX-License-Identifier: Apache-2.0
// What device.c finds and leaves in a thread's SRAM partition.
#pragma once

#include <stdint.h>

#define MOST_TO_SEND 200
#define MOST_HEARD 1500

/// A message's third word holds its flits - 1 in the lowest bits; word i of those behind is that plus i.
struct ToSend {
  uint32_t round, key, first, second, third;
};
struct Heard {
  uint32_t round, first, second, third;
};
struct List {
  uint32_t num_to_send, num_heard, cycles;
  struct ToSend to_send[MOST_TO_SEND];
  struct Heard heard[MOST_HEARD];
};
