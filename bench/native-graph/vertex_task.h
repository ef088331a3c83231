// SPDX-License-Identifier: Apache-2.0
// A vertex program of apps/ on one graph, through PGraph and the native engine. Include it after the program's file.
#pragma once

#include <cstring>
#include <memory>

#include "bench/native-graph/workload.h"

namespace polyloom::bench {

/// Keeps the finish messages as HostLink would, for the host to look at afterwards.
template <typename Message>
struct Kept final : overlay::NativeOutput {
  std::vector<PMessage<Message>> packets;
  bool drops = false;
  void message(const void* bytes, std::size_t size) override { messages(bytes, size, size, 1); }
  void messages(const void* first, std::size_t size, std::size_t stride, std::size_t count) override {
    if (drops) return;
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

template <typename Dev>
using GraphOf = PGraph<Dev, typename Dev::State, typename Dev::Edge, typename Dev::Message>;

/// Keeps the graph between runs.
template <typename Dev>
class VertexTask {
 public:
  using Result = PFinishType<Dev>;
  using Value = decltype(Result{}.value);

  /// Sets states, by begin(graph, state, v), and runs. Where there is no graph, or `again`, it is made first: by connect(graph), then map().
  /// The engine is made for each run, as part of building. `seconds` is one call of the program: init, all rounds,
  /// finish messages.
  template <typename Connect, typename Begin>
  Timed<Value> run(Again again, Connect connect, Begin begin) {
    if (again != Again::no) graph_.reset();
    Timed<Value> timed;
    const auto start = Clock::now();
    if (!graph_) {
      graph_ = std::make_unique<GraphOf<Dev>>();
      connect(*graph_);
      graph_->map();
    }
    GraphOf<Dev>& graph = *graph_;
    for (std::uint32_t v = 0; v < graph.numDevices; ++v) {
      auto& state = graph.devices[v]->state;
      state = {};
      state.id = v;
      begin(graph, state, v);
    }
    auto program =
        polite::make_native_program<Dev, typename Dev::State, typename Dev::Edge, typename Dev::Message>(
            graph.nativeGraph());
    timed.build_seconds = since(start);
    Kept<Result> kept;
    kept.drops = again == Again::without_results;
    if (!kept.drops) kept.packets.resize(graph.numDevices);  // its memory is not part of the time
    kept.packets.clear();
    const double cpu = cpu_clock();
    const auto go = Clock::now();
    program->run(kept);
    timed.seconds = since(go);
    timed.cpu_seconds = cpu_clock() - cpu;
    timed.values.resize(kept.drops ? 0 : graph.numDevices);
    for (const auto& packet : kept.packets) timed.values.at(packet.payload.id) = packet.payload.value;
    return timed;
  }

 private:
  std::unique_ptr<GraphOf<Dev>> graph_;
};

}  // namespace polyloom::bench
