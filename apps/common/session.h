// SPDX-License-Identifier: Apache-2.0
// The steps that every vertex application takes once its graph is built: map, load, run, collect.
#pragma once

#include <HostLink.h>
#include <POLite.h>

#include <chrono>
#include <string>
#include <vector>

#include "apps/common/answer.h"
#include "fabric/error.h"
#include "fabric/guarded.h"
#include "fabric/host/progress_line.h"

namespace polyloom::apps {

using polyloom::guarded;
using WallClock = std::chrono::steady_clock;

inline double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

/// Sorts a graph that has all its vertices and edges, and says how to map it.
template <typename Graph>
void map_graph(Graph& graph, const Options& options) {
  graph.mapOptions.combine = options.combine;
  graph.mapOptions.pins = options.pins;
  const fabric::Heartbeat heartbeat("placing " + std::to_string(graph.numDevices) + " vertices");
  graph.map();
}

/// Runs `graph` (mapped by `options`, with initial states) with the device program `device` and hands each
/// vertex's finish message to `take`. Sets answer.phases and, on a cluster, answer.mapping. Adds to
/// answer.load_seconds.
template <typename Graph, typename Message, typename Take>
void run_graph(Graph& graph, const Options& options, const std::string& device, Answer& answer, Take take) {
  const auto start = WallClock::now();
  HostLink link;
  graph.write(&link);
  if (!graph.is_simulation()) {
    answer.mapping = mapping_of(graph.store(), graph.placement(), graph.mapReport);
  } else {
    if (options.explain)
      answer.notes.push_back(
          "nothing to explain: a native run maps its vertices to no threads of FPGAs; say --on sim");
    if (options.pins != polite::Pins::automatic)
      answer.notes.push_back("--pins changes nothing: a native run sends no messages between FPGAs");
  }
  link.boot(device_file(device, "code.v").c_str(), device_file(device, "data.v").c_str());
  if (options.combine == polite::Combine::on && graph.layout().partial_bytes == 0)
    answer.notes.push_back(
        "--combine on changes nothing: the messages of this form of the program cannot be merged");
  answer.load_seconds += seconds_since(start);
  link.go();
  std::vector<PMessage<Message>> messages(4096);
  for (std::uint64_t left = graph.numDevices; left > 0;) {
    // The first alone: it says that the graph has finished.
    const bool first = left == graph.numDevices;
    const auto count = first ? 1 : static_cast<int>(std::min<std::uint64_t>(left, messages.size()));
    link.recvMsgs(count, sizeof(PMessage<Message>), messages.data());
    for (int i = 0; i < count; ++i) take(messages[static_cast<std::size_t>(i)].payload);
    left -= static_cast<std::uint64_t>(count);
  }
  answer.phases = link.phases();
}

}  // namespace polyloom::apps
