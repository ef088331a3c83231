// SPDX-License-Identifier: Apache-2.0
// polyloom-graph: reads or makes a graph and writes it as an edge list (.txt) or a snapshot with names
// (.graph.gz).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "apps/common/input.h"
#include "fabric/command_line.h"
#include "fabric/error.h"
#include "fabric/guarded.h"
#include "fabric/partial_file.h"
#include "polite/graph_data.h"
#include "polite/read_graph.h"

namespace polyloom::apps {
namespace {

/// An edge list has numbers only, and of vertices without edges it cannot speak.
void tell_what_is_lost(const Input& input, const std::string& path) {
  std::vector<bool> occurs(input.vertices, false);
  for (const auto& edge : input.edges) occurs[edge.from] = occurs[edge.to] = true;
  const auto alone = std::count(occurs.begin(), occurs.end(), false);
  if (alone > 0) {
    std::fprintf(stderr,
                 "polyloom: %s lacks %lld vertices without edges; a snapshot (another ending) has them\n",
                 path.c_str(), static_cast<long long>(alone));
  }
  if (!input.names.numeric())
    std::fprintf(stderr, "polyloom: %s has numbers from 0 for the names; a snapshot keeps them\n",
                 path.c_str());
}

void write_edges(const Input& input, const std::string& path) {
  const auto number = [&](std::uint32_t v) { return input.names.numeric() ? input.names.number(v) : v; };
  std::string text;
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    text += std::to_string(number(input.edges[e].from)) + ' ' + std::to_string(number(input.edges[e].to));
    if (!input.weights.empty()) text += ' ' + std::to_string(input.weights[e]);
    text += '\n';
  }
  fabric::write_whole(path, text);
  tell_what_is_lost(input, path);
}

int run(int argc, char** argv) {
  Options options;
  options.app = "polyloom-graph";
  std::string out;
  CLI::App cli{"Reads or makes a graph and writes it.", "polyloom-graph"};
  cli.add_option("--graph", options.graph, "Graph file");
  cli.add_option("--generate", options.generate, "Made graph, e.g. kronecker:14:16 or debian");
  cli.add_option("--graph-seed", options.graph_seed, "Seed of a made graph");
  cli.add_option("--max-weight", options.max_weight, "Draw weights 1..N");
  cli.add_flag("--undirected", options.undirected, "Add the reverse of every edge");
  cli.add_option("--write", out, "NAME.txt: edge list; any other name: snapshot")->required();
  cli.failure_message(fabric::command_line_error);
  CLI11_PARSE(cli, argc, argv);
  if (options.graph.empty() == options.generate.empty()) throw UserError("give either --graph or --generate");
  Input input = load_input(options, options.max_weight > 0);
  for (const std::string& note : input.notes) std::fprintf(stderr, "polyloom: %s\n", note.c_str());
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
  return polyloom::guarded([&] { return polyloom::apps::run(argc, argv); });
}
