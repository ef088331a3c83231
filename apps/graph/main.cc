// SPDX-License-Identifier: Apache-2.0
// polyloom-graph: reads or makes a graph and writes it as an edge list (.txt) or a snapshot with names
// (.graph.gz).
#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/common/input.h"
#include "apps/common/session.h"
#include "polite/graph_data.h"
#include "polite/read_graph.h"

namespace polyloom::apps {
namespace {

void write_edges(const Input& input, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw UserError("cannot write " + path);
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    if (input.weights.empty()) {
      std::fprintf(file, "%u %u\n", input.edges[e].from, input.edges[e].to);
    } else {
      std::fprintf(file, "%u %u %u\n", input.edges[e].from, input.edges[e].to, input.weights[e]);
    }
  }
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) {
    std::remove(path.c_str());
    throw UserError("cannot write " + path + ": is the disk full?");
  }
}

int run(int argc, char** argv) {
  Options options;
  std::string out;
  CLI::App cli{"Reads or makes a graph and writes it.", "polyloom-graph"};
  cli.add_option("--graph", options.graph, "Graph file");
  cli.add_option("--generate", options.generate, "Made graph, e.g. kronecker:14:16 or debian");
  cli.add_option("--graph-seed", options.graph_seed, "Seed of a made graph");
  cli.add_option("--max-weight", options.max_weight, "Draw weights 1..N");
  cli.add_flag("--undirected", options.undirected, "Add the reverse of every edge");
  cli.add_option("--write", out, "NAME.txt: edge list; any other name: snapshot")->required();
  CLI11_PARSE(cli, argc, argv);
  if (options.graph.empty() == options.generate.empty()) throw UserError("give either --graph or --generate");
  Input input = load_input(options, options.max_weight > 0);
  std::printf("%u vertices, %zu edges\n", input.vertices, input.edges.size());
  if (out.ends_with(".txt")) {
    write_edges(input, out);
  } else {
    polite::GraphData data;
    data.vertices = input.vertices;
    data.edges = std::move(input.edges);
    data.names = std::move(input.names);
    polite::write_snapshot(data, out);
  }
  return 0;
}

}  // namespace
}  // namespace polyloom::apps

int main(int argc, char** argv) {
  return polyloom::apps::guarded([&] { return polyloom::apps::run(argc, argv); });
}
