// SPDX-License-Identifier: Apache-2.0
// Measures the share of a link's raw bits that is message payload, both directions loaded, and prints one
// JSON object, in which the shares stand by flits of a message:
//   {"rtl": true, "cycles": 40000, "share": {"1": 0.615, ..., "4": 0.820}}
// Usage: overlay_link_share [sim|rtl] [CYCLES]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fabric/error.h"
#include "roles/overlay/tests/link/overlay_link_nodes.h"

int main(int argc, char** argv) {
  const std::string on = argc > 1 ? argv[1] : "rtl";
  const unsigned long cycles = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 40'000;
  if ((on != "sim" && on != "rtl") || cycles < 4'000 || argc > 3) {
    std::fprintf(stderr, "usage: overlay_link_share [sim|rtl] [CYCLES, at least 4000]\n");
    return 2;
  }
  try {
    std::printf("{\"rtl\": %s, \"cycles\": %lu, \"share\": {", on == "rtl" ? "true" : "false", cycles);
    for (unsigned flits = 1; flits <= 4; ++flits) {
      const double share = polyloom::overlay::testing::payload_share(flits, on == "rtl", cycles);
      std::printf("%s\"%u\": %.4f", flits == 1 ? "" : ", ", flits, share);
    }
    std::printf("}}\n");
  } catch (const polyloom::UserError& error) {
    std::fprintf(stderr, "overlay_link_share: %s\n", error.what());
    return 1;
  }
}
