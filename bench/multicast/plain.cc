// SPDX-License-Identifier: Apache-2.0
// The applications of the Multicast paper as one writes them by hand for one thread of this machine (its
// figure 5g). Usage: bench_multicast_plain pagerank|asp|neurons VERTICES FANOUT RADIUS COUNT | dpd SIDE STEPS
// COUNT: iterations, sources (64 at most), steps. Prints {"seconds": of computing, "result": as the
// application's}.
#include <omp.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/options.h"
#include "apps/dpd/box.h"
#include "apps/neurons/network.h"
#include "bench/native-graph/peers/kernels.h"
#include "fabric/error.h"
#include "fabric/guarded.h"
#include "polite/generate.h"

namespace polyloom::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Result {
  double seconds, value;
};

/// Out-edges by sender.
struct Rows {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> target;
  std::vector<std::uint32_t> edge;  ///< its number in the list

  Rows(std::uint32_t vertices, std::span<const polite::Edge> edges)
      : begin(std::size_t{vertices} + 1, 0), target(edges.size()), edge(edges.size()) {
    for (const auto& e : edges) ++begin[e.from + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      const std::uint64_t at = next[edges[i].from]++;
      target[at] = edges[i].to;
      edge[at] = i;
    }
  }
};

Result pagerank(const polite::GraphData& graph, unsigned iterations) {
  omp_set_num_threads(1);
  using peers::Direction;
  peers::Directed rows{{graph.vertices, graph.edges, {}, Direction::out},
                       {graph.vertices, graph.edges, {}, Direction::in}};
  rows.in.sort();
  double change = 0;
  const auto start = Clock::now();
  const auto rank = peers::pagerank(rows, iterations, 0.85f, change);
  return {seconds_since(start), std::accumulate(rank.data(), rank.data() + rank.size(), 0.0)};
}

/// Breadth-first search from the first vertices at once, a bit each; the sum of all distances.
Result asp(const polite::GraphData& graph, unsigned sources) {
  const Rows rows(graph.vertices, graph.edges);
  std::vector<std::uint64_t> seen(graph.vertices, 0), fresh = seen, heard = seen;
  for (std::uint32_t v = 0; v < std::min<std::uint32_t>(sources, graph.vertices); ++v)
    seen[v] = fresh[v] = std::uint64_t{1} << v;
  std::uint64_t sum = 0;
  const auto start = Clock::now();
  for (std::uint64_t level = 1, found = 1; found != 0; ++level) {
    for (std::uint32_t v = 0; v < graph.vertices; ++v) {
      if (fresh[v] == 0) continue;
      for (std::uint64_t e = rows.begin[v]; e < rows.begin[v + 1]; ++e) heard[rows.target[e]] |= fresh[v];
    }
    found = 0;
    for (std::uint32_t v = 0; v < graph.vertices; ++v) {
      fresh[v] = heard[v] & ~seen[v];
      seen[v] |= heard[v];
      heard[v] = 0;
      found += static_cast<std::uint64_t>(std::popcount(fresh[v]));
    }
    sum += found * level;
  }
  return {seconds_since(start), static_cast<double>(sum)};
}

/// The network that `polyloom run neurons --noise 1.5` draws.
Result neurons(polite::GraphData graph, unsigned steps) {
  apps::Options options;
  options.parameters = {{"noise", 1.5}, {"excitation", 0.5}, {"inhibition", 1}, {"steps", steps}};
  apps::Input input;
  input.vertices = graph.vertices;
  input.edges = std::move(graph.edges);
  input.names = std::move(graph.names);
  const apps::Network network(options, input);
  const Rows rows(input.vertices, input.edges);
  std::vector<std::int32_t> weight(rows.target.size()), current(input.vertices, 0);
  for (std::size_t e = 0; e < weight.size(); ++e) weight[e] = network.fixed(rows.edge[e]);
  std::vector<apps::NeuronTerms> state = network.neurons;
  std::vector<std::uint32_t> spiked;
  std::uint64_t spikes = 0;
  const auto start = Clock::now();
  for (std::uint32_t step = 1; step <= steps; ++step) {
    for (std::uint32_t v = 0; v < input.vertices; ++v) {
      apps::NeuronTerms& n = state[v];
      const float drive = static_cast<float>(current[v]) / apps::Network::kUnit + n.offset +
                          apps::thalamic(n, step, network.key);
      current[v] = 0;
      if (apps::integrates(n, drive)) spiked.push_back(v);
    }
    for (const std::uint32_t v : spiked) {
      for (std::uint64_t e = rows.begin[v]; e < rows.begin[v + 1]; ++e) current[rows.target[e]] += weight[e];
    }
    spikes += spiked.size();
    spiked.clear();
  }
  return {seconds_since(start), static_cast<double>(spikes)};
}

/// In double precision, with lists of cells.
Result particles(std::uint32_t side, unsigned steps) {
  const dpd::Terms terms{side, 3 * side * side * side, 0.04, 25, 4.5, 1, 0};
  dpd::Beads beads = dpd::at_start(terms);
  dpd::forces(terms, beads);
  const auto start = Clock::now();
  while (beads.step < steps) dpd::advance(terms, beads);
  return {seconds_since(start), dpd::temperature(beads)};
}

int run(int argc, char** argv) {
  const std::string app = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return static_cast<std::uint32_t>(std::atoi(argv[i])); };
  if (argc != (app == "dpd" ? 4 : 6)) {
    throw UserError(
        "usage: bench_multicast_plain pagerank|asp|neurons VERTICES FANOUT RADIUS COUNT | dpd SIDE STEPS");
  }
  Result result{};
  if (app == "dpd") {
    result = particles(number(2), number(3));
  } else {
    polite::GraphData graph = polite::geometric_square(number(2), number(4), number(3), apps::kGraphSeed);
    result = app == "pagerank" ? pagerank(graph, number(5))
             : app == "asp"    ? asp(graph, number(5))
                               : neurons(std::move(graph), number(5));
  }
  std::printf("{\"seconds\": %.9g, \"result\": %.9g}\n", result.seconds, result.value);
  return 0;
}

}  // namespace
}  // namespace polyloom::bench

int main(int argc, char** argv) {
  return polyloom::guarded([&] { return polyloom::bench::run(argc, argv); });
}
