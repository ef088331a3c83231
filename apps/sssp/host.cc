// SPDX-License-Identifier: Apache-2.0
// Host program of single-source shortest paths.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "apps/common/session.h"
#include "apps/sssp/sssp.h"
#include "apps/verify/verify.h"

namespace polyloom::apps {
namespace {

/// A vertex that the source reaches only by paths of kUnreached or more looks unreached. It has a neighbour
/// that is reached, or it is behind one of its kind that has.
void check_range(const Input& input, const std::vector<double>& distances) {
  for (std::size_t i = 0; i < input.edges.size(); ++i) {
    const auto [from, to] = input.edges[i];
    if (std::isnan(distances[from]) || !std::isnan(distances[to])) continue;
    throw UserError(fmt::format(
        "weights are too large: the shortest path to {} is longer than {}, the most that 32 bits hold (to {} "
        "it is {:.0f}, and the edge between them weighs {}). Divide all weights",
        input.names[to], kUnreached - 1, input.names[from], distances[from], input.weights[i]));
  }
}

template <typename Vertex>
void run_with(const char* device, const Options& options, std::uint32_t source, const Input& input,
              Answer& answer) {
  PGraph<Vertex, SsspState, std::uint32_t, SsspMessage> graph;
  graph.newDevices(input.vertices);
  graph.addLabelledEdges(input.edges, input.weights);
  map_graph(graph, options);
  for (std::uint32_t v = 0; v < input.vertices; ++v) {
    graph.devices[v]->state.id = v;
    graph.devices[v]->state.is_source = v == source;
  }
  run_graph<decltype(graph), SsspResult>(graph, options, device, answer, [&](const SsspResult& m) {
    const bool reached = m.distance != kUnreached;
    answer.values.at(m.id) = reached ? m.distance : std::numeric_limits<double>::quiet_NaN();
  });
}

int run(int argc, char** argv) {
  const Options options =
      parse_options(argc, argv, "sssp", "Shortest paths from one vertex, non-negative integer weights.",
                    kSource | kWeights | kMode | kCombine, "async,sync");
  const auto start = WallClock::now();
  const Input input = load_input(options, true);
  const std::uint32_t source = vertex_called(input, options.source, "--source");
  Answer answer;
  answer.load_seconds = seconds_since(start);
  answer.integral = true;
  answer.largest_first = false;
  answer.values.assign(input.vertices, 0);
  if (options.mode == "sync") {
    run_with<SsspSync>("sssp_sync", options, source, input, answer);
  } else {
    run_with<SsspAsync>("sssp", options, source, input, answer);
  }
  check_range(input, answer.values);
  double sum = 0, reached = 0;
  for (const double value : answer.values) {
    if (std::isnan(value)) continue;
    sum += value;
    reached += 1;
  }
  answer.facts = {{"source", input.names[source]}, {"reached", reached}, {"sum_of_distances", sum}};
  if (options.verify) {
    verify_exactly(options, input, answer,
                   [&](const NamedGraph& graph) { return reference_sssp(graph, input.names[source]); });
  }
  return finish(options, input, answer);
}

}  // namespace
}  // namespace polyloom::apps

int main(int argc, char** argv) {
  return polyloom::apps::guarded([&] { return polyloom::apps::run(argc, argv); });
}
