// SPDX-License-Identifier: Apache-2.0
// Host program of PageRank: both forms, synchronous and GALS.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "apps/common/session.h"
#include "apps/pagerank/gals.h"
#include "apps/pagerank/pagerank.h"
#include "apps/verify/verify.h"

namespace polyloom::apps {
namespace {

std::vector<std::uint32_t> out_degrees(const Input& input) {
  std::vector<std::uint32_t> degree(input.vertices, 0);
  for (const auto& edge : input.edges) ++degree[edge.from];
  return degree;
}

/// Fills what both forms' states have in common.
template <typename Graph>
void set_states(Graph& graph, const Input& input, const Options& options) {
  const std::vector<std::uint32_t> degree = out_degrees(input);
  const double n = input.vertices;
  for (std::uint32_t v = 0; v < input.vertices; ++v) {
    auto& state = graph.devices[v]->state;
    state.id = v;
    state.iterations = options.iterations;
    state.score = static_cast<float>(1 / n);
    state.base = static_cast<float>((1 - options.damping) / n);
    state.share = degree[v] == 0 ? 0.0f : static_cast<float>(options.damping / degree[v]);
  }
}

void run_sync(const Options& options, const Input& input, Answer& answer) {
  PGraph<PageRankVertex, PageRankState, None, PageRankMessage> graph;
  graph.newDevices(input.vertices);
  graph.addEdges(input.edges);
  map_graph(graph, options);
  set_states(graph, input, options);
  run_graph<decltype(graph), PageRankResult>(
      graph, options, "pagerank", answer, [&](const PageRankResult& m) { answer.values.at(m.id) = m.score; });
}

void run_gals(const Options& options, const Input& input, Answer& answer) {
  PGraph<GalsVertex, GalsState, float, GalsMessage> graph;
  graph.newDevices(input.vertices);
  graph.reserveEdges(2 * input.edges.size());
  for (const auto& edge : input.edges) {
    graph.addLabelledEdge(1.0f, edge.from, 0, edge.to);
    graph.addLabelledEdge(0.0f, edge.to, 0, edge.from);
  }
  map_graph(graph, options);
  set_states(graph, input, options);
  for (std::uint32_t v = 0; v < input.vertices; ++v) graph.devices[v]->state.expected = graph.fanIn(v);
  run_graph<decltype(graph), GalsMessage>(graph, options, "pagerank_gals", answer, [&](const GalsMessage& m) {
    answer.values.at(m.result.id) = m.result.score;
  });
}

/// What dangling vertices do to the sum, if there are any.
void tell_dangling(const Input& input, Answer& answer) {
  const auto degree = out_degrees(input);
  const auto dangling = std::count(degree.begin(), degree.end(), 0u);
  const double sum = std::accumulate(answer.values.begin(), answer.values.end(), 0.0);
  answer.facts.emplace_back("sum_of_values", sum);
  answer.facts.emplace_back("dangling_vertices", dangling);
  char shown[32], text[160];
  std::snprintf(shown, sizeof shown, "%.6g", sum);
  if (dangling == 0 || std::string_view(shown) == "1") return;
  std::snprintf(
      text, sizeof text,
      "vertices without an out-edge: %lld; what they hold is not handed on, so the values sum to %s, not 1",
      static_cast<long long>(dangling), shown);
  answer.notes.push_back(text);
}

int run(int argc, char** argv) {
  const Options options = parse_options(argc, argv, "pagerank", "PageRank of a directed graph.",
                                        kIterations | kDamping | kMode | kCombine, "sync,gals");
  const auto start = WallClock::now();
  const Input input = load_input(options);
  Answer answer;
  answer.load_seconds = seconds_since(start);
  answer.values.assign(input.vertices, 0);
  if (options.mode == "gals") {
    run_gals(options, input, answer);
  } else {
    run_sync(options, input, answer);
  }
  answer.facts = {{"iterations", options.iterations}, {"damping", options.damping}};
  tell_dangling(input, answer);
  if (options.verify) {
    // Single precision, and sums in another order: the bounds of the project for floats.
    verify_closely(options, input, answer, 1e-5, 1e-4, [&](const NamedGraph& graph) {
      return reference_pagerank(graph, options.iterations, options.damping);
    });
  }
  return finish(options, input, answer);
}

}  // namespace
}  // namespace polyloom::apps

int main(int argc, char** argv) {
  return polyloom::apps::guarded([&] { return polyloom::apps::run(argc, argv); });
}
