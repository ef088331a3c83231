// SPDX-License-Identifier: Apache-2.0
// Graph files: one call for all formats, plain or packed. Streaming; progress by callback.
// Errors are UserErrors "FILE:LINE: what is wrong; what is allowed"; nothing is returned then.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "polite/graph_data.h"

namespace polyloom::polite {

struct ReadOptions {
  /// A name of graph_format(); "auto": by content, then by the end of the name.
  std::string format = "auto";
  /// Add the reverse of every edge, where the format does not give it.
  bool undirected = false;
  /// Of a table: SOURCE,TARGET or SOURCE,TARGET,WEIGHT; empty for the usual names.
  std::string columns;
  /// What the file is called in messages; empty for its own name.
  std::string called;
  /// Called about every MiB with bytes of the file read and its size (0 if unknown).
  std::function<void(std::uint64_t bytes, std::uint64_t size)> progress;
};

/// The name of a file that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";

/// Throws UserError.
GraphData read_graph(const std::string& file, const ReadOptions& options = {});

/// Format of a name as users write it: auto, snap (which is edges), or one of these; docs/guides/graph-files.md says
/// more. Throws UserError that names all.
///   edges         "from to [weight]" a line; the vertices are the ids or names that occur; SNAP text is this
///   names         the same, and no field is taken for a number
///   csv           a header, then a row an edge
///   mtx           coordinate; real, integer or pattern; general, symmetric or skew-symmetric
///   dimacs        "p sp n m" and "a from to weight", or "p edge n m" and "e u v" (both directions)
///   metis         adjacency lists, ids from 1, weights as its header says
///   debian        a Packages index of apt: packages and what they depend on
///   graphalytics  LDBC: NAME.v, a vertex a line, and NAME.e, an edge a line
///   sg, wsg       serialized by the GAP Benchmark Suite, without and with weights
///   snapshot      our own: names and edges, compressed
///   arrays        our own: not compressed, to be mapped (graph_arrays.h)
std::string graph_format(std::string_view name);

/// The packages that this machine's apt knows, and their dependencies: vertex = package, edge = "depends on"
/// (Depends and Pre-Depends, first alternative that exists, virtual packages by their first provider), in
/// order of names. Reads `folder`/*_Packages, packed as apt left them. Throws UserError if there are
/// none.
GraphData read_apt_lists(const std::string& folder = "/var/lib/apt/lists");

/// Writes names, edges and weights as a snapshot: gzip, written to a new file that takes its
/// place only when complete. Edges come back sorted. Throws UserError.
void write_snapshot(const GraphData& graph, const std::string& file);

}  // namespace polyloom::polite
