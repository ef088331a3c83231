// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/workload.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "fabric/error.h"
#include "polite/generate.h"

#define POLYLOOM_VERTICES_ONLY
#include "apps/components/components.cc"
#include "apps/pagerank/pagerank.cc"
#include "apps/sssp/sssp.cc"

namespace polyloom::bench {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Keeps the finish messages as HostLink would, for the host to look at afterwards.
template <typename Message>
struct Kept final : overlay::NativeOutput {
  std::vector<PMessage<Message>> packets;
  void message(const void* bytes, std::size_t size) override { messages(bytes, size, size, 1); }
  void messages(const void* first, std::size_t size, std::size_t stride, std::size_t count) override {
    const auto* from = static_cast<const char*>(first);
    if (size == sizeof(PMessage<Message>) && stride == size) {
      const auto* whole = reinterpret_cast<const PMessage<Message>*>(from);
      packets.insert(packets.end(), whole, whole + count);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(static_cast<void*>(&packets.emplace_back()), from + i * stride, size);
    }
  }
  void console(std::uint32_t, const char*) override {}
  bool stopping() const override { return false; }
};

/// Runs a mapped graph whose states are set. `build_seconds` grows by what the engine prepares.
template <typename Dev, typename Graph, typename Value>
auto run(Graph& graph, double& build_seconds, Value value) {
  using Result = PFinishType<Dev>;
  const auto start = Clock::now();
  auto program =
      polite::make_native_program<Dev, typename Dev::State, typename Dev::Edge, typename Dev::Message>(
          graph.nativeGraph());
  build_seconds += since(start);
  Kept<Result> kept;
  kept.packets.resize(graph.numDevices);  // its memory is not part of the time, as it is not of the kernel's
  kept.packets.clear();
  const double cpu = cpu_clock();
  const auto go = Clock::now();
  program->run(kept);
  Timed<decltype(value(Result{}))> timed;
  timed.seconds = since(go);
  timed.cpu_seconds = cpu_clock() - cpu;
  timed.values.resize(graph.numDevices);
  for (const auto& packet : kept.packets) timed.values.at(packet.payload.id) = value(packet.payload);
  return timed;
}

}  // namespace

double cpu_clock() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Shortest = SsspAsync<std::uint32_t>;

struct Workload::Graphs {
  std::unique_ptr<PGraph<PageRankVertex, PageRankState, None, PageRankMessage>> pagerank;
  std::unique_ptr<PGraph<HashMinVertex, HashMinState, None, HashMinMessage>> hashmin;
  std::unique_ptr<PGraph<Shortest, Shortest::State, std::uint32_t, Shortest::Message>> sssp;
};

Workload::Workload(const std::string& kind, unsigned scale) : graphs_(std::make_unique<Graphs>()) {
  constexpr unsigned kEdgeFactor = 16;
  constexpr std::uint64_t kSeed = 1;
  if (kind == "kronecker") {
    data_ = polite::kronecker_graph(scale, kEdgeFactor, kSeed);
  } else if (kind == "uniform") {
    data_ = polite::uniform_graph(1u << scale, std::uint64_t{kEdgeFactor} << scale, kSeed);
  } else {
    throw UserError("bench_native_graph: unknown graph '" + kind + "'; allowed: kronecker, uniform");
  }
  polite::draw_weights(data_, 255, kSeed);
  weights_.assign(data_.weights.begin(), data_.weights.end());
  data_.weights = {};
  out_degree_.assign(data_.vertices, 0);
  for (const auto& edge : data_.edges) ++out_degree_[edge.from];
  source_ = static_cast<std::uint32_t>(std::max_element(out_degree_.begin(), out_degree_.end()) -
                                       out_degree_.begin());
}
Workload::~Workload() = default;

Timed<float> Workload::pagerank(unsigned iterations, double damping) {
  const auto start = Clock::now();
  auto& graph = graphs_->pagerank;
  if (!graph) {
    graph = std::make_unique<std::remove_reference_t<decltype(*graph)>>();
    graph->newDevices(data_.vertices);
    graph->viewEdges(data_.edges);
    graph->map();
  }
  for (std::uint32_t v = 0; v < data_.vertices; ++v) {
    auto& state = graph->devices[v]->state;
    state = {};
    state.id = v;
    state.iterations = iterations;
    state.score = static_cast<float>(1.0 / data_.vertices);
    state.base = static_cast<float>((1 - damping) / data_.vertices);
    state.share = out_degree_[v] == 0 ? 0.0f : static_cast<float>(damping / out_degree_[v]);
  }
  build_seconds_ = since(start);
  return run<PageRankVertex>(*graph, build_seconds_, [](const auto& m) { return m.value; });
}

Timed<std::uint32_t> Workload::components() {
  const auto start = Clock::now();
  auto& graph = graphs_->hashmin;
  if (!graph) {
    graph = std::make_unique<std::remove_reference_t<decltype(*graph)>>();
    graph->newDevices(data_.vertices);
    graph->viewEdges(data_.edges, 0, true);
    graph->map();
  }
  for (std::uint32_t v = 0; v < data_.vertices; ++v) graph->devices[v]->state.id = v;
  build_seconds_ = since(start);
  return run<HashMinVertex>(*graph, build_seconds_, [](const auto& m) { return m.value; });
}

Timed<std::uint32_t> Workload::sssp() {
  const auto start = Clock::now();
  auto& graph = graphs_->sssp;
  if (!graph) {
    graph = std::make_unique<std::remove_reference_t<decltype(*graph)>>();
    graph->newDevices(data_.vertices);
    graph->viewLabelledEdges(data_.edges, weights_);
    graph->map();
  }
  for (std::uint32_t v = 0; v < data_.vertices; ++v) {
    graph->devices[v]->state.id = v;
    graph->devices[v]->state.is_source = v == source_;
  }
  build_seconds_ = since(start);
  return run<Shortest>(*graph, build_seconds_, [](const auto& m) { return m.value; });
}

}  // namespace polyloom::bench
