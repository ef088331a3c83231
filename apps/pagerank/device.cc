// SPDX-License-Identifier: Apache-2.0
// Device program: the softswitch with this application's vertex.
#include "pagerank.h"

int main() {
  typedef PThread<PageRankVertex, PageRankState, None, PageRankMessage> Thread;
  Thread* thread = (Thread*)tinselHeapBaseSRAM();
  thread->run();
  return 0;
}
