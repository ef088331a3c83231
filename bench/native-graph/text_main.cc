// SPDX-License-Identifier: Apache-2.0
// bench_native_text FILE SCALE FOLDER [THREADS]: from a text edge list to results. Makes FILE where there is none: a
// Kronecker graph of 2^SCALE vertices with 15 edges each. Then runs, from opening FILE on, what each line of standard
// input names: pagerank, components (ours), gap-pagerank, gap-components (read, built and run as the GAP Benchmark
// Suite does). Responds with lines of JSON. Results lie in FOLDER/TASK by the numbers in FILE; ranks as shares of the
// mean, and who does not occur in FILE has NaN, or 2^32 - 1.
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/native-graph/ours.h"
#include "bench/native-graph/peers/edge_text.h"
#include "bench/native-graph/theirs.h"
#include "bench/native-graph/turns.h"
#include "fabric/guarded.h"
#include "polite/generate.h"
#include "polite/read_graph.h"

namespace polyloom::bench {
namespace {

void make_file(const std::string& file, unsigned scale) {
  constexpr unsigned kEdgeFactor = 15;
  if (std::filesystem::exists(file)) return;
  peers::write_edge_text(file + ".new", polite::kronecker_graph(scale, kEdgeFactor).edges);
  std::filesystem::rename(file + ".new", file);
}

template <typename T>
nlohmann::json times(const Timed<T>& timed, double read_seconds) {
  return {{"read_seconds", read_seconds},
          {"build_seconds", timed.build_seconds},
          {"sort_seconds", timed.sort_seconds},
          {"seconds", timed.seconds}};
}

/// Of our vertices, which have the file's numbers for names.
std::vector<float> by_number(const polite::VertexNames& names, const std::vector<float>& rank) {
  std::vector<float> result(names.number(names.size() - 1) + 1, std::nanf(""));
  for (std::uint32_t v = 0; v < names.size(); ++v)
    result[names.number(v)] = rank[v] * static_cast<float>(names.size());
  return result;
}
std::vector<std::uint32_t> by_number(const polite::VertexNames& names,
                                     const std::vector<std::uint32_t>& label) {
  std::vector<std::uint32_t> result(names.number(names.size() - 1) + 1, peers::kUnreached);
  for (std::uint32_t v = 0; v < names.size(); ++v)
    result[names.number(v)] = static_cast<std::uint32_t>(names.number(label[v]));
  return result;
}

template <typename T>
nlohmann::json ours(const std::string& file, const std::string& result, Timed<T> (Ours::*task)(Again)) {
  const auto start = Clock::now();
  polite::ReadOptions options;
  options.format = "edges";
  const Workload workload(polite::read_graph(file, options));
  const double read_seconds = since(start);
  const Timed<T> timed = (Ours(workload).*task)(Again::yes);
  write_array(result, by_number(workload.data.names, timed.values));
  return times(timed, read_seconds);
}

template <typename T>
nlohmann::json theirs(const std::string& file, const std::string& result, Timed<T> (Theirs::*task)(Again)) {
  const auto start = Clock::now();
  const Workload workload(peers::read_edge_text(file));
  const double read_seconds = since(start);
  Timed<T> timed = (Theirs(workload).*task)(Again::yes);
  if constexpr (std::is_same_v<T, float>)
    for (T& rank : timed.values) rank *= static_cast<float>(workload.data.vertices);
  write_array(result, timed.values);
  return times(timed, read_seconds);
}

nlohmann::json turn(const std::string& name, const std::string& file, const std::string& folder) {
  const std::string result = folder + "/" + name;
  if (name == "pagerank") return ours(file, result, &Ours::pagerank);
  if (name == "components") return ours(file, result, &Ours::components);
  if (name == "gap-pagerank") return theirs(file, result, &Theirs::pagerank);
  if (name == "gap-components") return theirs(file, result, &Theirs::components);
  throw UserError("bench_native_text: unknown contestant '" + name +
                  "'; allowed: pagerank, components, gap-pagerank, gap-components");
}

}  // namespace
}  // namespace polyloom::bench

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: bench_native_text FILE SCALE FOLDER [THREADS]\n");
    return 2;
  }
  const char* const threads = argc == 5 ? argv[4] : "2";
  setenv("POLYLOOM_THREADS", threads, 1);
  return polyloom::guarded([&] {
    omp_set_num_threads(std::stoi(threads));
    const std::string file = argv[1];
    polyloom::bench::make_file(file, static_cast<unsigned>(std::stoul(argv[2])));
    polyloom::bench::say({{"bytes", std::filesystem::file_size(file)}});
    for (std::string line; std::getline(std::cin, line);)
      polyloom::bench::say(polyloom::bench::turn(line, file, argv[3]));
    return 0;
  });
}
