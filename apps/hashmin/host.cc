// SPDX-License-Identifier: Apache-2.0
// Host program of connected components.
#include "apps/common/session.h"
#include "apps/hashmin/hashmin.h"
#include "apps/verify/verify.h"

namespace polyloom::apps {
namespace {

int run(int argc, char** argv) {
  const Options options = parse_options(argc, argv, "hashmin",
                                        "Connected components; directions of edges do not matter.", kCombine);
  const auto start = WallClock::now();
  const Input input = load_input(options);
  Answer answer;
  answer.load_seconds = seconds_since(start);
  answer.integral = answer.of_vertices = true;
  answer.largest_first = false;
  answer.values.assign(input.vertices, 0);
  {
    PGraph<HashMinVertex, HashMinState, None, HashMinMessage> graph;
    graph.newDevices(input.vertices);
    graph.reserveEdges(2 * input.edges.size());
    graph.addEdges(input.edges);
    for (const auto& edge : input.edges) graph.addEdge(edge.to, 0, edge.from);
    map_graph(graph, options);
    for (std::uint32_t v = 0; v < input.vertices; ++v) graph.devices[v]->state.id = v;
    run_graph<decltype(graph), HashMinResult>(
        graph, options, "hashmin", answer, [&](const HashMinResult& m) { answer.values.at(m.id) = m.label; });
  }
  double components = 0;
  for (std::uint32_t v = 0; v < input.vertices; ++v) components += answer.values[v] == v;
  answer.facts = {{"components", components}};
  if (options.verify) verify_vertices(options, input, answer, reference_components);
  return finish(options, input, answer);
}

}  // namespace
}  // namespace polyloom::apps

int main(int argc, char** argv) {
  return polyloom::apps::guarded([&] { return polyloom::apps::run(argc, argv); });
}
