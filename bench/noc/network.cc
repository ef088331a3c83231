// SPDX-License-Identifier: Apache-2.0
// The message network of a board in RTL alone, without mailboxes: flits that come to a tile in a cycle when
// every tile sends to its neighbours in turn. Prints a JSON object, rate by flits of a message. Built by
// bench.py.
#include <cstdio>
#include <cstdlib>

#include "roles/overlay/tests/noc/noc_exchange.h"

int main(int argc, char** argv) {
  const unsigned cycles = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 0;
  if (cycles == 0) {
    std::fprintf(stderr, "usage: network CYCLES\n");
    return 2;
  }
  std::printf("{\"1\": %.4f, ", polyloom::overlay::test::neighbour_exchange(1, cycles));
  std::printf("\"%u\": %.4f}\n", MAX_FLITS, polyloom::overlay::test::neighbour_exchange(MAX_FLITS, cycles));
  return ::testing::Test::HasFailure() ? 1 : 0;
}
