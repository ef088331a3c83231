// SPDX-License-Identifier: Apache-2.0
// Prints what all threads say, one line each.
#include <HostLink.h>

int main() {
  HostLink hostLink;
  hostLink.boot("code.v", "data.v");
  hostLink.go();
  const uint32_t threads = hostLink.tilesX * hostLink.tilesY * TinselThreadsPerMailbox;
  hostLink.dumpStdOut(stdout, threads * hostLink.meshXLen * hostLink.meshYLen);
  return 0;
}
