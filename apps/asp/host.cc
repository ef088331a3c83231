// SPDX-License-Identifier: Apache-2.0
// Host program of the average shortest path from a set of sources.
#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/asp/asp.h"
#include "apps/common/session.h"
#include "apps/verify/verify.h"

namespace polyloom::apps {
namespace {

constexpr double kNotReached = std::numeric_limits<double>::quiet_NaN();

int run(int argc, char** argv) {
  const Options options = parse_options(
      argc, argv, "asp", "Average shortest path: breadth-first search from the first N vertices at once.",
      kSources | kCombine);
  const auto start = WallClock::now();
  const Input input = load_input(options);
  if (options.sources > input.vertices) {
    throw UserError("--sources " + std::to_string(*options.sources) + ": the graph has " +
                    std::to_string(input.vertices) + " vertices; give at most as many");
  }
  const std::uint32_t sources = options.sources.value_or(std::min(64u, input.vertices));
  Answer answer;
  answer.load_seconds = seconds_since(start);
  answer.integral = true;
  answer.values.assign(input.vertices, 0);
  double pairs = 0;  // of a source and another vertex that it reaches
  {
    PGraph<AspVertex, AspState, None, AspMessage> graph;
    graph.mapVerticesToDRAM = true;
    graph.newDevices(input.vertices);
    graph.addEdges(input.edges);
    map_graph(graph, options);
    for (std::uint32_t v = 0; v < input.vertices; ++v) {
      graph.devices[v]->state.id = v;
      graph.devices[v]->state.source = v < sources ? v : kNoSource;
      graph.devices[v]->state.words = (sources + 31) / 32;
    }
    run_graph<decltype(graph), AspMessage>(graph, options, "asp", answer, [&](const AspMessage& m) {
      // A source reaches itself, at no distance.
      const std::uint32_t itself = m.result.id < sources, others = m.result.reached - itself;
      answer.values.at(m.result.id) = others == 0 && sources > itself ? kNotReached : m.result.sum;
      pairs += others;
    });
  }
  double sum = 0;
  for (const double value : answer.values) sum += std::isnan(value) ? 0 : value;
  answer.facts = {{"sources", sources},
                  {"pairs", pairs},
                  {"sum_of_distances", sum},
                  {"average_shortest_path", pairs > 0 ? sum / pairs : kNotReached}};
  if (const double all = static_cast<double>(sources) * (input.vertices - 1.0); pairs < all) {
    answer.notes.push_back(
        std::to_string(static_cast<std::uint64_t>(all - pairs)) + " of " +
        std::to_string(static_cast<std::uint64_t>(all)) +
        " pairs of a source and another vertex have no path from the one to the other; sums "
        "and the average leave them out, and a vertex that no other source reaches has the value inf");
  }
  if (options.verify) {
    verify_exactly(options, input, answer,
                   [&](const NamedGraph& graph) { return reference_distance_sums(graph, sources); });
  }
  return finish(options, input, answer);
}

}  // namespace
}  // namespace polyloom::apps

int main(int argc, char** argv) {
  return polyloom::apps::guarded([&] { return polyloom::apps::run(argc, argv); });
}
