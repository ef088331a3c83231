// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/ours.h"

#include "bench/native-graph/ours_bfs.h"

#define POLYLOOM_VERTICES_ONLY
#include "apps/components/components.cc"
#include "apps/pagerank/pagerank.cc"
#include "apps/sssp/sssp.cc"
#include "bench/native-graph/vertex_task.h"

namespace polyloom::bench {

struct Ours::Tasks {
  VertexTask<PageRankVertex> pagerank;
  VertexTask<HashMinVertex> components;
  VertexTask<SsspAsync<std::uint32_t>> sssp;
  OursBfs bfs;
};

Ours::Ours(const Workload& workload) : workload_(workload), tasks_(std::make_unique<Tasks>()) {}
Ours::~Ours() = default;

Timed<float> Ours::pagerank(Again again) {
  return tasks_->pagerank.run(
      again,
      [this](auto& graph) {
        graph.newDevices(workload_.data.vertices);
        graph.viewEdges(workload_.data.edges);
      },
      [n = static_cast<double>(workload_.data.vertices)](auto& graph, auto& state, std::uint32_t v) {
        const double out = graph.fanOut(v);
        state.iterations = kUpdates;
        state.score = static_cast<float>(1 / n);
        state.base = static_cast<float>((1 - kDamping) / n);
        state.share = out == 0 ? 0.0f : static_cast<float>(kDamping / out);
      });
}

Timed<std::uint32_t> Ours::components(Again again) {
  return tasks_->components.run(
      again,
      [this](auto& graph) {
        graph.newDevices(workload_.data.vertices);
        graph.viewEdges(workload_.data.edges, 0, true);
      },
      [](auto&, auto&, std::uint32_t) {});
}

Timed<std::uint32_t> Ours::sssp(Again again) {
  return tasks_->sssp.run(
      again,
      [this](auto& graph) {
        graph.newDevices(workload_.data.vertices);
        graph.viewLabelledEdges(workload_.data.edges, workload_.weights);
      },
      [this](auto&, auto& state, std::uint32_t v) { state.is_source = v == workload_.source; });
}

Timed<std::uint32_t> Ours::bfs(Again again) { return tasks_->bfs.run(workload_, again); }

}  // namespace polyloom::bench
