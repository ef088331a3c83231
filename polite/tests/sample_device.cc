// SPDX-License-Identifier: Apache-2.0
// A synchronous PageRank, as small as vertex programs come: the softswitch must compile around it without a
// library.
#include <POLite.h>
#include <tinsel.h>

struct Rank {
  float sum, score;
  uint32_t fanOut;
};

struct RankVertex : PVertex<Rank, None, float> {
  void init() {
    s->score = 1.0f / static_cast<float>(numVertices);
    *readyToSend = Pin(0);
  }
  void send(volatile float* m) {
    *m = s->score / static_cast<float>(s->fanOut);
    *readyToSend = No;
  }
  void recv(float* m, None*) { s->sum += *m; }
  bool step() {
    if (time >= 20) return false;
    s->score = 0.15f / static_cast<float>(numVertices) + 0.85f * s->sum;
    s->sum = 0;
    *readyToSend = Pin(0);
    return true;
  }
  bool finish(volatile float* m) {
    *m = s->score;
    return true;
  }
};

int main() {
  typedef PThread<RankVertex, Rank, None, float> Thread;
  Thread* thread = static_cast<Thread*>(tinselHeapBaseSRAM());
  thread->run();
  return 0;
}
