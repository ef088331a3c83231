// SPDX-License-Identifier: Apache-2.0
// What threads would still have to do in a superstep if mailboxes and routers combined messages of one key on
// their way, beside what they do today. Prints one JSON object. Usage: bench_skew_network PAGERANK'S-OPTIONS,
// for 3 x 4 boards
//
// Modelled: partial receivers that combine what their own thread's vertices say stay; what they send, and
// what single vertices send, meets in the network at no cost, and the vertex hears one message. Not modelled:
// the time that the network would take, its tables, and how a router knows that it has all. So it is a bound
// from below.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/options.h"
#include "fabric/guarded.h"
#include "polite/mapper/costs.h"

#define POLYLOOM_VERTICES_ONLY
#include "apps/pagerank/pagerank.cc"

namespace {

using namespace polyloom;
using namespace polyloom::polite;

/// Instructions of the busiest core if only work at vertices and at first receivers on a thread counts.
double busiest_core_in_network(const GraphStore& graph, const Placement& placement) {
  const Combining& combining = placement.combining;
  const std::uint32_t n = graph.vertices();
  // Each partial receiver's own senders; what a thread hears of others for it, the network does.
  std::vector<double> spared(placement.machine.threads(), 0);
  std::vector<std::uint32_t> own(combining.partials.size(), 0), heard(n, 0);
  for (std::uint32_t v = 0; v < n; ++v) {
    for (std::uint64_t e = graph.out_begin()[v]; e < graph.out_begin()[v + 1]; ++e) {
      const std::uint32_t to = combining.target[e];
      if (to < n) continue;
      const Partial& partial = combining.partials[to - n];
      if (partial.thread == placement.thread[v]) {
        ++own[to - n];
      } else {
        spared[partial.thread] += costs::kReceive;
      }
    }
  }
  for (std::size_t i = 0; i < combining.partials.size(); ++i) {
    const Partial& partial = combining.partials[i];
    if (own[i] == 0) spared[partial.thread] += costs::kVertex + costs::kSend;
    if (partial.to >= n) {
      spared[combining.partials[partial.to - n].thread] += costs::kReceive;
    } else if (++heard[partial.to] > 1) {
      spared[placement.thread[partial.to]] += costs::kReceive;
    }
  }
  const Forecast today = forecast(graph, placement, combining, placement.sending);
  double busiest = 0;
  for (std::size_t core = 0; core < today.cores.size(); ++core) {
    double left = today.cores[core].instructions;
    for (unsigned t = 0; t < placement.machine.threads_per_core; ++t)
      left -= spared[core * placement.machine.threads_per_core + t];
    busiest = std::max(busiest, left);
  }
  return busiest;
}

int run(int argc, char** argv) {
  apps::Description description;
  description.name = "pagerank";
  description.has_combiner = true;
  const apps::Options options = apps::parse_options(argc, argv, description);
  const apps::Input input = apps::load_input(options);
  PGraph<PageRankVertex, PageRankState, None, PageRankMessage> graph;
  graph.newDevices(input.vertices);
  graph.addEdges(input.edges);
  graph.mapOptions.combine = options.combine;
  Machine machine;
  machine.boards_x = 3;
  machine.boards_y = 4;
  graph.mapOn(machine);
  const Placement& placement = graph.placement();
  const Forecast today = forecast(graph.store(), placement, placement.combining, placement.sending);
  double busiest = 0;
  for (const CoreWork& core : today.cores) busiest = std::max(busiest, core.instructions);
  const double in_network =
      placement.combining.empty() ? busiest : busiest_core_in_network(graph.store(), placement);
  std::printf(
      "%s\n",
      nlohmann::json{{"busiest_core", busiest}, {"busiest_core_in_network", in_network}}.dump().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return polyloom::guarded([&] { return run(argc, argv); });
}
