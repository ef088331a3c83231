// SPDX-License-Identifier: Apache-2.0
// The options that all applications spell alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polite/placed_graph.h"

namespace CLI {
class App;
}

namespace polyloom {
struct Parameter;
struct Text;
struct Flag;
}  // namespace polyloom

namespace polyloom::apps {

/// What the command line needs to know of a program (polyloom/program.h).
struct Description {
  std::string name;
  std::string purpose;             ///< in one sentence
  std::vector<std::string> modes;  ///< values of --mode, the first being the default; none: there is one mode
  std::span<const Parameter> parameters;
  std::span<const Text> texts;
  std::span<const Flag> flags;
  bool takes_source = false;
  bool takes_weights = false;
  bool takes_fractions = false;  ///< of weights
  bool signed_weights = false;   ///< none are drawn then
  bool draws = false;
  bool has_combiner = false;
  bool makes_graph = false;    ///< of its own, by its parameters
  bool has_reference = false;  ///< --verify can be answered
};

inline constexpr std::uint64_t kGraphSeed = 1;

struct Options {
  std::string app;
  // Where the graph comes from: exactly one of these.
  std::string graph;     ///< file
  std::string generate;  ///< "geometric:VERTICES:DEGREE[:RADIUS]", "kronecker:SCALE:EDGEFACTOR",
                         ///< "uniform:...", "grid:W:H", "cube:W:H:D"
  std::string format;    ///< of the file; empty = by name and content
  std::string columns;   ///< of a table: SOURCE,TARGET[,WEIGHT]; empty = the usual names
  std::optional<std::uint64_t> graph_seed;  ///< of what is drawn; kGraphSeed if not given
  /// Of a file that was converted: its format, its name, and notes on it; `graph` is what became of it.
  std::vector<std::string> converted;
  bool undirected = false;  ///< add the reverse of every edge
  bool simple = false;      ///< drop loops and duplicate edges
  // What to compute.
  std::map<std::string, double, std::less<>> parameters;  ///< all of the program's, by name
  std::map<std::string, std::string, std::less<>> texts;
  std::set<std::string, std::less<>> given;  ///< those that the command line says, and its flags
  std::string source;                        ///< a vertex's name; empty = the first vertex
  std::string mode;                          ///< program's own variants
  unsigned max_weight = 0;                   ///< draw integer weights 1..max_weight where the file has none
  std::uint64_t seed = 0;                    ///< of what the program draws (POLYLOOM_SEED)
  // How to map it.
  polite::Combine combine = polite::Combine::automatic;
  polite::Pins pins = polite::Pins::automatic;
  bool explain = false;
  // What to do with the result.
  bool verify = false;
  std::string out;
  std::string rows;  ///< the same by row, for polyloom/graphs
  bool json = false;
  unsigned top = 10;

  /// Throws UserError if the program has no parameter of that name.
  double parameter(std::string_view name) const;
  const std::string& text(std::string_view name) const { return texts.find(name)->second; }
};

/// Options that say where the graph comes from.
void add_graph_options(CLI::App& cli, Options& options);

/// Parses the command line. Prints help and ends the program for --help; ends it with status 2 and one
/// message for wrong usage.
Options parse_options(int argc, char** argv, const Description& program);

}  // namespace polyloom::apps
