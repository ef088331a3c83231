// SPDX-License-Identifier: Apache-2.0
// polyloom-graph: reads or makes a graph and writes it as an edge list (.txt) or a snapshot with names
// (.graph.gz).
#include <fmt/format.h>

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
void report_what_is_lost(const Loaded& input, const std::string& path) {
  std::vector<bool> occurs(input.data.vertices, false);
  for (const auto& edge : input.edges) occurs[edge.from] = occurs[edge.to] = true;
  const auto alone = std::count(occurs.begin(), occurs.end(), false);
  if (alone > 0) {
    std::fprintf(stderr,
                 "polyloom: %s lacks %lld vertices without edges; a snapshot (another ending) has them\n",
                 path.c_str(), static_cast<long long>(alone));
  }
  if (!input.data.names.numeric())
    std::fprintf(stderr, "polyloom: %s has numbers from 0 for the names; a snapshot keeps them\n",
                 path.c_str());
}

void write_edges(const Loaded& input, const std::string& path) {
  const polite::VertexNames& names = input.data.names;
  const auto number = [&](std::uint32_t v) { return names.numeric() ? names.number(v) : v; };
  std::string text;
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    text += std::to_string(number(input.edges[e].from)) + ' ' + std::to_string(number(input.edges[e].to));
    if (!input.data.weights.empty()) text += fmt::format(" {}", input.data.weights[e]);
    text += '\n';
  }
  fabric::write_whole(path, text);
  report_what_is_lost(input, path);
}

int run(int argc, char** argv) {
  Options options;
  options.app = "polyloom-graph";
  std::string out, arrays;
  CLI::App cli{"Reads or makes a graph and writes it.", "polyloom-graph"};
  add_graph_options(cli, options);
  cli.add_option("--max-weight", options.max_weight, "Draw weights 1..N");
  auto* write = cli.add_option("--write", out, "NAME.txt: edge list; any other name: snapshot");
  cli.add_option("--arrays", arrays)->excludes(write)->group("");  // of polyloom/graphs
  cli.failure_message(fabric::command_line_error);
  CLI11_PARSE(cli, argc, argv);
  if (options.graph.empty() == options.generate.empty()) throw UserError("give either --graph or --generate");
  if (out.empty() && arrays.empty()) throw UserError("--write FILE is missing");
  Loaded loaded = load_graph(options, true);
  for (const std::string& note : loaded.notes) std::fprintf(stderr, "polyloom: %s\n", note.c_str());
  std::printf("%u vertices, %zu edges\n", loaded.data.vertices, loaded.edges.size());
  if (out.ends_with(".txt")) {
    write_edges(loaded, out);
    return 0;
  }
  loaded.data.edges.assign(loaded.edges.begin(), loaded.edges.end());
  if (!arrays.empty()) {
    polite::write_graph_arrays(loaded.data, arrays);
  } else {
    polite::write_snapshot(loaded.data, out);
  }
  return 0;
}

}  // namespace
}  // namespace polyloom::apps

int main(int argc, char** argv) {
  return polyloom::guarded([&] { return polyloom::apps::run(argc, argv); });
}
