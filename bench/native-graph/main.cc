// SPDX-License-Identifier: Apache-2.0
// bench_native_graph KIND SIZE FOLDER [THREADS]: makes a graph, writes it to FOLDER for other contestants, then does
// something for each line of standard input and responds with one line of JSON, so that bench.py can take turns. Lines:
//   pagerank, components, sssp, bfs       the vertex program
//   gap-pagerank, gap-components, ...     the hand-written kernel
//   TASK build                            the same from the edges on; the first run of each is that too
//   TASK memory                           the same, results dropped: the most memory that it takes above the edges'
//   kernels, machine                      delta of delta-stepping, and what dropping duplicates would add to building; rates
//                                         of this machine
// Each task leaves its latest result in FOLDER/TASK. Arrays are raw little-endian: from, to, weight (uint32), results
// (float32, uint32).
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/native-graph/machine.h"
#include "bench/native-graph/ours.h"
#include "bench/native-graph/peak.h"
#include "bench/native-graph/theirs.h"
#include "bench/native-graph/turns.h"
#include "fabric/guarded.h"

namespace polyloom::bench {
namespace {

void write_graph(const std::string& folder, const Workload& workload) {
  std::vector<std::uint32_t> ends;
  ends.reserve(workload.data.edges.size());
  for (const auto& edge : workload.data.edges) ends.push_back(edge.from);
  write_array(folder + "/from", ends);
  ends.clear();
  for (const auto& edge : workload.data.edges) ends.push_back(edge.to);
  write_array(folder + "/to", ends);
  write_array(folder + "/weight", workload.weights);
}

class Contest {
 public:
  Contest(const char* kind, unsigned size, std::string folder)
      : workload_(kind, size), folder_(std::move(folder)) {
    write_graph(folder_, workload_);
    say({{"vertices", workload_.data.vertices},
         {"edges", workload_.data.edges.size()},
         {"source", workload_.source}});
  }

  void turn(const std::string& line) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string name = line.substr(0, space), word = line.substr(space);
    const Again again = word == " build"    ? Again::yes
                        : word == " memory" ? Again::without_results
                                            : Again::no;
    if (again == Again::no && !word.empty())
      throw UserError("bench_native_graph: '" + line + "': behind the name may stand build or memory");
    const auto found = turns_.find(name);
    if (found == turns_.end()) {
      std::string names;
      for (const auto& [known, call] : turns_) names += (names.empty() ? "" : ", ") + known;
      throw UserError("bench_native_graph: unknown contestant '" + name + "'; allowed: " + names);
    }
    say(found->second(again));
  }

 private:
  using Call = std::function<nlohmann::json(Again)>;
  template <typename Class, typename T>
  Call run(const char* name, Class& contestant, Timed<T> (Class::*call)(Again)) {
    return [=, this, &contestant](Again again) -> nlohmann::json {
      if (again == Again::without_results)
        return {{"name", name}, {"bytes", peak_bytes([&] { (contestant.*call)(again); })}};
      const Timed<T> timed = (contestant.*call)(again);
      write_array(folder_ + "/" + name, timed.values);
      return {{"name", name},
              {"seconds", timed.seconds},
              {"cpu_seconds", timed.cpu_seconds},
              {"sort_seconds", timed.sort_seconds},
              {"build_seconds", timed.build_seconds}};
    };
  }

  Workload workload_;
  std::string folder_;
  Ours ours_{workload_};
  Theirs theirs_{workload_};
  std::map<std::string, Call> turns_ = {
      {"pagerank", run("pagerank", ours_, &Ours::pagerank)},
      {"components", run("components", ours_, &Ours::components)},
      {"sssp", run("sssp", ours_, &Ours::sssp)},
      {"bfs", run("bfs", ours_, &Ours::bfs)},
      {"gap-pagerank", run("gap-pagerank", theirs_, &Theirs::pagerank)},
      {"gap-components", run("gap-components", theirs_, &Theirs::components)},
      {"gap-sssp", run("gap-sssp", theirs_, &Theirs::sssp)},
      {"gap-bfs", run("gap-bfs", theirs_, &Theirs::bfs)},
      {"kernels",
       [this](Again) {
         return nlohmann::json{{"delta", theirs_.delta()}, {"squish_seconds", theirs_.squish_seconds()}};
       }},
      {"machine", [this](Again) { return machine_rates(workload_); }},
  };
};

}  // namespace
}  // namespace polyloom::bench

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr,
                 "usage: bench_native_graph kronecker|sparse|uniform|grid|debian SIZE FOLDER [THREADS]\n");
    return 2;
  }
  const char* const threads = argc == 5 ? argv[4] : "2";
  setenv("POLYLOOM_THREADS", threads, 1);
  return polyloom::guarded([&] {
    omp_set_num_threads(std::stoi(threads));
    polyloom::bench::Contest contest(argv[1], static_cast<unsigned>(std::stoul(argv[2])), argv[3]);
    for (std::string line; std::getline(std::cin, line);) contest.turn(line);
    return 0;
  });
}
