// SPDX-License-Identifier: Apache-2.0
#include "apps/common/options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <sstream>

namespace polyloom::apps {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

void add_input(CLI::App& cli, Options& o) {
  auto* graph =
      cli.add_option("--graph", o.graph, "Graph file: edge list, Matrix Market, DIMACS .gr, METIS; .gz too");
  auto* generate =
      cli.add_option("--generate", o.generate,
                     "Made graph: geometric:VERTICES:DEGREE, kronecker:SCALE:EDGEFACTOR, "
                     "uniform:VERTICES:DEGREE, grid:WIDTH:HEIGHT, debian (this machine's packages)");
  graph->excludes(generate);
  cli.add_option("--format", o.format, "Format of the file, if its name and content do not tell");
  cli.add_option("--graph-seed", o.graph_seed, "Seed of a made graph and of drawn weights")
      ->capture_default_str();
  cli.add_flag("--renumber", o.renumber, "Edge lists: number the ids that occur 0, 1, 2 ...");
  cli.add_flag("--undirected", o.undirected, "Add the reverse of every edge");
}

void add_output(CLI::App& cli, Options& o) {
  cli.add_flag("--verify", o.verify, "Compare with an independent computation");
  cli.add_option("--out", o.out, "Write vertex,value for every vertex to this CSV file");
  cli.add_flag("--json", o.json, "One JSON object on standard output");
  cli.add_option("--top", o.top, "How many vertices to print")->capture_default_str();
}

}  // namespace

Options parse_options(int argc, char** argv, const char* app, const char* purpose, unsigned sets,
                      const char* modes) {
  Options o;
  o.app = app;
  CLI::App cli{purpose, std::string("polyloom run ") + app};
  add_input(cli, o);
  if (sets & kIterations) {
    cli.add_option("--iterations", o.iterations, "Updates from the uniform start")
        ->check(CLI::Range(0u, 65535u))
        ->capture_default_str();
  }
  if (sets & kDamping) {
    cli.add_option("--damping", o.damping, "Damping factor d")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
  }
  if (sets & kSource) cli.add_option("--source", o.source, "Vertex to start from")->capture_default_str();
  if (sets & kSources) {
    cli.add_option("--sources", o.sources, "Search from vertices 0 .. N-1")
        ->check(CLI::Range(1u, 448u))
        ->capture_default_str();
  }
  if (sets & kWeights) {
    cli.add_option("--max-weight", o.max_weight, "Draw weights 1..N where the file has none (else all are 1)")
        ->check(CLI::Range(0u, 1u << 20));
  }
  if (sets & kMode) {
    const auto names = split(modes);
    o.mode = names.front();
    cli.add_option("--mode", o.mode, "How to compute it")->check(CLI::IsMember(names))->capture_default_str();
  }
  add_output(cli, o);
  try {
    cli.parse(argc, argv);
    if (o.graph.empty() && o.generate.empty()) throw CLI::RequiredError("--graph FILE or --generate KIND");
  } catch (const CLI::ParseError& error) {
    const int status = cli.exit(error);
    std::exit(status == 0 ? 0 : 2);
  }
  return o;
}

}  // namespace polyloom::apps
