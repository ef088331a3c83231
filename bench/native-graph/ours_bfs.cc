// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/ours_bfs.h"

#define POLYLOOM_VERTICES_ONLY
#include "apps/bfs/bfs.cc"
#include "bench/native-graph/vertex_task.h"

namespace polyloom::bench {

struct OursBfs::Task : VertexTask<BfsVertex> {};

OursBfs::OursBfs() : task_(std::make_unique<Task>()) {}
OursBfs::~OursBfs() = default;

Timed<std::uint32_t> OursBfs::run(const Workload& workload, Again again) {
  return task_->run(
      again,
      [&](auto& graph) {
        graph.newDevices(workload.data.vertices);
        graph.viewEdges(workload.data.edges);
      },
      [&](auto&, auto& state, std::uint32_t v) { state.is_source = v == workload.source; });
}

}  // namespace polyloom::bench
