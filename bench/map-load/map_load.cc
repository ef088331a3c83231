// SPDX-License-Identifier: Apache-2.0
// Times of partition, tables and images for one graph on 12 boards: prints one JSON object.
// Usage: bench_map_load geometric|kronecker VERTICES_OR_SCALE DEGREE PLACER
#define POLITE_NUM_PINS 1
#include <POLite.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fabric/error.h"
#include "fabric/guarded.h"
#include "polite/generate.h"

#define POLYLOOM_VERTICES_ONLY
#include "apps/pagerank/pagerank.cc"

namespace {

using namespace polyloom::polite;

/// Counts bytes: what remains is the cost of building the images.
class Nowhere final : public ImageSink {
 public:
  void write(unsigned, unsigned, unsigned, std::uint32_t, const void*, std::size_t bytes) override {
    bytes_ += bytes;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

Placer placer_of(const std::string& name) {
  if (name == "bfs") return Placer::bfs;
  if (name == "metis") return Placer::metis;
  return Placer::automatic;
}

int run(char** argv) {
  const auto size = static_cast<std::uint32_t>(std::atoi(argv[2])),
             degree = static_cast<std::uint32_t>(std::atoi(argv[3]));
  GraphData data =
      std::string(argv[1]) == "kronecker" ? kronecker_graph(size, degree) : geometric_graph(size, degree);
  PGraph<PageRankVertex, PageRankState, None, PageRankMessage> graph;
  graph.newDevices(data.vertices);
  const std::size_t edges = data.edges.size();
  graph.addEdges(std::move(data.edges));
  graph.mapOptions.placer = placer_of(argv[4]);
  Machine machine;
  machine.boards_x = 3;
  machine.boards_y = 4;
  const auto start = std::chrono::steady_clock::now();
  graph.map();
  const double sorted = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  graph.mapOn(machine);
  Nowhere sink;
  graph.writeTo(sink);
  const MapReport& r = graph.mapReport;
  std::printf(
      "{\"edges\": %zu, \"sort_seconds\": %g, \"place_seconds\": %g, \"table_seconds\": %g, "
      "\"write_seconds\": %g, "
      "\"bytes\": %llu, \"cut_boards\": %llu, \"placer\": \"%s\"}\n",
      edges, sorted, r.place_seconds, r.table_seconds, r.write_seconds,
      static_cast<unsigned long long>(sink.bytes()), static_cast<unsigned long long>(r.cut_boards),
      r.placer.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: bench_map_load geometric|kronecker VERTICES_OR_SCALE DEGREE PLACER\n");
    return 2;
  }
  return polyloom::guarded([&] { return run(argv); });
}
