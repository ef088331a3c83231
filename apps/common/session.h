// SPDX-License-Identifier: Apache-2.0
// The steps that every vertex application takes once its graph is built: map, load, run, collect.
#pragma once

#include <HostLink.h>
#include <POLite.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/common/answer.h"
#include "fabric/error.h"

namespace polyloom::apps {

using WallClock = std::chrono::steady_clock;

inline double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

/// Runs `graph` (mapped, with initial states) with the device program `device` and hands each vertex's finish
/// message to `take`. Sets answer.seconds, the time until the first of them came: the rest is collecting.
/// Adds to answer.load_seconds.
template <typename Graph, typename Message, typename Take>
void run_graph(Graph& graph, const std::string& device, Answer& answer, Take take) {
  const auto start = WallClock::now();
  HostLink link;
  graph.write(&link);
  link.boot(device_file(device, "code.v").c_str(), device_file(device, "data.v").c_str());
  answer.load_seconds += seconds_since(start);
  const double begin = link.simulatedSeconds();
  link.go();
  std::vector<PMessage<Message>> messages(4096);
  for (std::uint64_t left = graph.numDevices; left > 0;) {
    // The first alone: it says that the graph has finished.
    const bool first = left == graph.numDevices;
    const auto count = first ? 1 : static_cast<int>(std::min<std::uint64_t>(left, messages.size()));
    link.recvMsgs(count, sizeof(PMessage<Message>), messages.data());
    for (int i = 0; i < count; ++i) take(messages[static_cast<std::size_t>(i)].payload);
    left -= static_cast<std::uint64_t>(count);
    if (first) answer.seconds = link.simulatedSeconds() - begin;
  }
}

/// The body of main(): prints a UserError as one line and returns the exit status.
template <typename Body>
int guarded(Body body) {
  try {
    return body();
  } catch (const UserError& error) {
    std::fprintf(stderr, "polyloom: %s\n", error.what());
    return 1;
  }
}

}  // namespace polyloom::apps
