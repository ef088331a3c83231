// SPDX-License-Identifier: Apache-2.0
// Host program of the average shortest path from a set of sources.
#include <algorithm>

#include "apps/asp/asp.h"
#include "apps/common/session.h"
#include "apps/verify/verify.h"

namespace polyloom::apps {
namespace {

int run(int argc, char** argv) {
  const Options options = parse_options(
      argc, argv, "asp", "Average shortest path: breadth-first search from the first N vertices at once.",
      kSources);
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
  double pairs = 0;
  {
    PGraph<AspVertex, AspState, None, AspMessage> graph;
    graph.mapVerticesToDRAM = true;
    graph.newDevices(input.vertices);
    graph.addEdges(input.edges);
    graph.map();
    for (std::uint32_t v = 0; v < input.vertices; ++v) {
      graph.devices[v]->state.id = v;
      graph.devices[v]->state.source = v < sources ? v : kNoSource;
    }
    run_graph<decltype(graph), AspMessage>(graph, "asp", answer, [&](const AspMessage& m) {
      answer.values.at(m.result.id) = m.result.sum;
      pairs += m.result.reached;
    });
  }
  double sum = 0;
  for (const double value : answer.values) sum += value;
  const double others = pairs - sources;  // a source's distance to itself does not count
  answer.facts = {{"sources", sources},
                  {"pairs", others},
                  {"sum_of_distances", sum},
                  {"average_shortest_path", others > 0 ? sum / others : 0}};
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
