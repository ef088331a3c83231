// SPDX-License-Identifier: Apache-2.0
// What an application says at its end: to a person, to a machine, and into files.
#pragma once

#include <HostLink.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/mapping.h"
#include "apps/common/options.h"

namespace polyloom::apps {

/// Result of an independent reading and computation of the same thing.
struct Verification {
  bool done = false;
  bool ok = false;
  double l1 = 0;          ///< sum of absolute differences
  double worst = 0;       ///< largest difference of one vertex
  std::string criterion;  ///< what was asked for, or what the two readings of the file disagree about
  std::string covers;     ///< what was checked: file and computation, or the computation alone
};

/// A figure, or the name of a vertex, and what it is.
struct Fact {
  std::string name;
  std::variant<double, std::string> value;

  template <std::convertible_to<double> Number>
  Fact(std::string what, Number number) : name(std::move(what)), value(static_cast<double>(number)) {}
  Fact(std::string what, std::string vertex) : name(std::move(what)), value(std::move(vertex)) {}
};

/// A further value of every vertex.
struct Column {
  std::string name;
  std::vector<double> values;  ///< NaN: none
  bool of_vertices = false;    ///< they are vertices, and are told by their names
};

/// What several processes of a native run have done together.
struct Together {
  unsigned count = 1, hosts = 1;
  std::uint64_t supersteps = 0;   ///< in which messages were delivered
  std::uint64_t bytes_sent = 0;   ///< by all
  std::uint64_t bytes_bound = 0;  ///< of each message, its bytes once for each other process with a receiver
  double seconds = 0;             ///< in exchanges, the mean of processes
};
/// Of this run; every process calls it. None if there is one process.
std::optional<Together> together();
/// For a process that is not the one that speaks for all: it prints nothing but errors and writes no files.
void speak_no_more();

/// Everything about a finished run. Values print with 9 significant digits; NaN stands for "no value" and
/// prints as "inf" (an unreachable vertex).
struct Outcome {
  std::vector<double> values;      ///< by vertex
  bool integral = false;           ///< values are integers
  bool of_vertices = false;        ///< values are vertices, and are told by their names
  bool largest_first = true;       ///< order of the top list
  HostLinkPhases phases{};         ///< simulated, or wall time when native
  double load_seconds = 0;         ///< wall: reading, mapping, writing
  std::vector<Fact> facts;         ///< more figures
  std::vector<Column> columns;     ///< of --out, behind the values
  std::vector<std::string> notes;  ///< what the user should know of the values
  Verification verification;
  std::optional<Mapping> mapping;  ///< of a run on a cluster
  std::string device;              ///< its folder of the threads' program
  std::optional<Together> processes;
};

/// Prints, writes --out and the run folder's result.json. Returns the exit status: 0, or 1 if a verification
/// failed.
int finish(const Options& options, const Input& input, const Outcome& outcome);

/// Where the threads' program of that name lies: NAME in POLYLOOM_DEVICE, or in "../device", seen from the
/// running executable.
std::string device_folder(const std::string& name);

}  // namespace polyloom::apps
