// SPDX-License-Identifier: Apache-2.0
// The options that all applications spell alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "polite/placed_graph.h"

namespace polyloom::apps {

/// Options that only some applications have; ask for them with `|`.
enum OptionSet : unsigned {
  kIterations = 1,
  kDamping = 2,
  kSource = 4,
  kSources = 8,
  kMode = 16,
  kWeights = 32,
  kCombine = 64
};

inline constexpr std::uint64_t kGraphSeed = 1;

struct Options {
  std::string app;
  // Where the graph comes from: exactly one of these.
  std::string graph;     ///< file
  std::string generate;  ///< "geometric:VERTICES:DEGREE[:RADIUS]", "kronecker:SCALE:EDGEFACTOR",
                         ///< "uniform:...", "grid:WxH"
  std::string format;    ///< of the file; empty = by name and content
  std::optional<std::uint64_t> graph_seed;  ///< of what is drawn; kGraphSeed if not given
  bool undirected = false;                  ///< add the reverse of every edge
  // What to compute.
  unsigned iterations = 20;
  double damping = 0.85;
  std::string source;               ///< a vertex's name; empty = the first vertex
  std::optional<unsigned> sources;  ///< how many of the first vertices; none: 64, or all if these are fewer
  std::string mode;                 ///< application's own variants
  unsigned max_weight = 0;          ///< draw integer weights 1..max_weight where the file has none
  // How to map it.
  polite::Combine combine = polite::Combine::automatic;
  polite::Pins pins = polite::Pins::automatic;
  bool explain = false;
  // What to do with the answer.
  bool verify = false;
  std::string out;
  bool json = false;
  unsigned top = 10;
};

/// Parses the command line. `modes` lists the values of --mode, the first being the default. Prints help and
/// ends the program for --help; ends it with status 2 and one message for wrong usage.
Options parse_options(int argc, char** argv, const char* app, const char* purpose, unsigned sets,
                      const char* modes = "");

}  // namespace polyloom::apps
