// SPDX-License-Identifier: Apache-2.0
// bench_native_graph KIND SCALE FOLDER [THREADS]: makes a graph, writes it to FOLDER for other contestants,
// then runs one contestant for each line of standard input and responds with one line of JSON, so that
// bench.py can take turns. Contestants: pagerank, kernel, components, sssp. Each leaves its latest result in
// FOLDER/CONTESTANT. Arrays are raw little-endian: from, to, weight (uint32), results (float32, uint32).
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/native-graph/csr_pagerank.h"
#include "bench/native-graph/workload.h"
#include "fabric/error.h"
#include "fabric/guarded.h"
#include "fabric/json_text.h"

namespace polyloom::bench {
namespace {

constexpr unsigned kIterations = 20;
constexpr double kDamping = 0.85;

template <typename T>
void write_array(const std::string& path, const std::vector<T>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file.flush()) throw UserError("bench_native_graph: cannot write " + path);
}

void write_graph(const std::string& folder, const Workload& workload) {
  std::vector<std::uint32_t> ends;
  ends.reserve(workload.data().edges.size());
  for (const auto& edge : workload.data().edges) ends.push_back(edge.from);
  write_array(folder + "/from", ends);
  ends.clear();
  for (const auto& edge : workload.data().edges) ends.push_back(edge.to);
  write_array(folder + "/to", ends);
  write_array(folder + "/weight", workload.weights());
}

class Contest {
 public:
  Contest(const char* kind, unsigned scale, std::string folder, int threads)
      : workload_(kind, scale), folder_(std::move(folder)), threads_(threads) {
    write_graph(folder_, workload_);
    timing({{"vertices", workload_.data().vertices},
            {"edges", workload_.data().edges.size()},
            {"source", workload_.source()}});
  }

  void turn(const std::string& name) {
    if (name == "pagerank") {
      report(name, workload_.pagerank(kIterations, kDamping));
    } else if (name == "components") {
      report(name, workload_.components());
    } else if (name == "sssp") {
      report(name, workload_.sssp());
    } else if (name == "kernel") {
      if (!csr_) csr_ = std::make_unique<Csr>(workload_.data());
      Timed<float> timed;
      const double cpu = cpu_clock();
      timed.values = csr_pagerank(*csr_, kIterations, static_cast<float>(kDamping), threads_, timed.seconds);
      timed.cpu_seconds = cpu_clock() - cpu;
      report(name, timed);
    } else {
      throw UserError("bench_native_graph: unknown contestant '" + name +
                      "'; allowed: pagerank, kernel, components, sssp");
    }
  }

 private:
  static void timing(const nlohmann::json& line) { std::cout << json_text(line) << std::endl; }
  template <typename T>
  void report(const std::string& name, const Timed<T>& timed) {
    write_array(folder_ + "/" + name, timed.values);
    timing({{"name", name},
            {"seconds", timed.seconds},
            {"cpu_seconds", timed.cpu_seconds},
            {"build_seconds", workload_.build_seconds()}});
  }

  Workload workload_;
  std::string folder_;
  int threads_;
  std::unique_ptr<Csr> csr_;
};

}  // namespace
}  // namespace polyloom::bench

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: bench_native_graph kronecker|uniform SCALE FOLDER [THREADS]\n");
    return 2;
  }
  const char* const threads = argc == 5 ? argv[4] : "2";
  setenv("POLYLOOM_THREADS", threads, 1);
  return polyloom::guarded([&] {
    polyloom::bench::Contest contest(argv[1], static_cast<unsigned>(std::stoul(argv[2])), argv[3],
                                     std::stoi(threads));
    for (std::string name; std::getline(std::cin, name);) contest.turn(name);
    return 0;
  });
}
