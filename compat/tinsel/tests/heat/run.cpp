// SPDX-License-Identifier: Apache-2.0
// Usage: run [width height steps]. Exit status 0 if the cluster's answer is the one of a direct computation.
#include <HostLink.h>
#include <POLite.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "heat.h"

static int32_t initial(uint32_t x, uint32_t y) {
  return (int32_t)((x * 7919u + y * 104729u) % 1000000u) - 300000;
}

static std::vector<int32_t> direct(uint32_t width, uint32_t height, uint32_t steps) {
  std::vector<int32_t> now(width * height), next;
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) now[y * width + x] = initial(x, y);
  }
  next = now;
  for (uint32_t t = 0; t < steps; t++) {
    for (uint32_t y = 1; y + 1 < height; y++) {
      for (uint32_t x = 1; x + 1 < width; x++) {
        const uint32_t i = y * width + x;
        next[i] = (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]) / 4;
      }
    }
    now.swap(next);
  }
  return now;
}

int main(int argc, char** argv) {
  const uint32_t width = argc > 1 ? atoi(argv[1]) : 12;
  const uint32_t height = argc > 2 ? atoi(argv[2]) : 10;
  const uint32_t steps = argc > 3 ? atoi(argv[3]) : 20;

  HostLink hostLink;
  PGraph<HeatDevice, HeatState, None, HeatMessage> graph;
  for (uint32_t i = 0; i < width * height; i++) graph.newDevice();
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t i = y * width + x;
      if (x + 1 < width) {
        graph.addEdge(i, 0, i + 1);
        graph.addEdge(i + 1, 0, i);
      }
      if (y + 1 < height) {
        graph.addEdge(i, 0, i + width);
        graph.addEdge(i + width, 0, i);
      }
    }
  }
  graph.map();

  for (PDeviceId i = 0; i < graph.numDevices; i++) {
    const uint32_t x = i % width, y = i / width;
    graph.devices[i]->state.id = i;
    graph.devices[i]->state.numSteps = steps;
    graph.devices[i]->state.value = initial(x, y);
    graph.devices[i]->state.fanIn = graph.fanIn(i);
    graph.devices[i]->state.isConstant = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
  }
  graph.write(&hostLink);
  hostLink.boot("code.v", "data.v");
  hostLink.go();

  const std::vector<int32_t> expected = direct(width, height, steps);
  std::vector<uint32_t> seen(graph.numDevices, 0);
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < graph.numDevices; i++) {
    PMessage<HeatMessage> msg;
    hostLink.recvMsg(&msg, sizeof(msg));
    if (msg.payload.from >= graph.numDevices || seen[msg.payload.from]++ || msg.payload.time != steps ||
        msg.payload.value != expected[msg.payload.from]) {
      wrong++;
    }
  }
  printf("heat: %u x %u cells, %u steps: %u wrong\n", width, height, steps, wrong);
  printf(wrong == 0 ? "OK\n" : "FAILED\n");
  return wrong == 0 ? 0 : 1;
}
