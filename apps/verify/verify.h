// SPDX-License-Identifier: Apache-2.0
// --verify: the file is read again by other code (second_reading.h), the result is computed again by slow and
// plain algorithms, and the two are compared by the vertices' names. Nothing here is shared with the readers
// or the vertex programs. A made graph has no file: there the computation alone is checked, and the result
// says so.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/options.h"
#include "apps/common/outcome.h"
#include "apps/verify/second_reading.h"

namespace polyloom::apps {

struct PageRankTerms {
  unsigned iterations;
  double damping;
  std::vector<double> teleport;  ///< where a walk begins anew, by vertex; their sum is 1
  bool weighted = false;         ///< an edge counts as its weight, or as 1
  bool scaled = false;           ///< at the end, to the sum 1
};
/// Power iteration in double precision; what dangling vertices hold is not handed on.
std::vector<double> reference_pagerank(const NamedGraph& graph, const PageRankTerms& terms);
/// Dijkstra with a binary heap; NaN for unreachable vertices.
std::vector<double> reference_sssp(const NamedGraph& graph, const std::string& source);
/// Breadth-first search; NaN for unreachable vertices.
std::vector<double> reference_hops(const NamedGraph& graph, const std::string& source);
/// The first vertex of each vertex's component, by union-find.
std::vector<double> reference_components(const NamedGraph& graph);
/// The first vertex of each vertex's strongly connected component, by Kosaraju's two searches.
std::vector<double> reference_strong_components(const NamedGraph& graph);
/// Labels after so many synchronous iterations of LDBC Graphalytics' CDLP; vertices are the labels.
std::vector<double> reference_labels(const NamedGraph& graph, unsigned iterations);
/// Heat after so many explicit Euler steps, of which `rate` of a difference crosses an edge; edges count once
/// and both ways, loops not; held vertices keep what they have.
std::vector<double> reference_heat(const NamedGraph& graph, const std::vector<double>& start,
                                   const std::vector<bool>& held, double rate, std::uint64_t steps);
/// By removing a vertex with the fewest neighbours at a time; edges count once and both ways, loops not.
std::vector<double> reference_core_numbers(const NamedGraph& graph);
/// By looking which neighbours two neighbours share; edges as for core numbers.
std::vector<double> reference_triangles(const NamedGraph& graph);
/// Sum over the first `count` vertices of the breadth-first distance to each other vertex, unreached ones
/// left out; NaN for a vertex that none of these but itself reaches.
std::vector<double> reference_distance_sums(const NamedGraph& graph, std::uint32_t count);

/// Values by the vertices of the graph that was read again.
using Reference = std::function<std::vector<double>(const NamedGraph&)>;

/// Fills outcome.verification. Values must be equal (NaN equals NaN).
void verify_exactly(const Options& options, const Input& input, Outcome& outcome, const Reference& reference);
/// The same for values that are vertices: those of equal names are equal.
void verify_vertices(const Options& options, const Input& input, Outcome& outcome,
                     const Reference& reference);
/// Sum of differences at most `l1`, largest at most `worst` relative to the largest reference value.
void verify_closely(const Options& options, const Input& input, Outcome& outcome, double l1, double worst,
                    const Reference& reference);

/// Each value differs by at most `each` of itself; NaN equals NaN.
void verify_each_closely(const Options& options, const Input& input, Outcome& outcome, double each,
                         const Reference& reference);
/// Of a result that has been verified: that its last column, of the vertices before each, is a tree of
/// shortest paths from `source`, each of whose edges makes the distance but for `each` of it.
void verify_tree(const Options& options, const Input& input, Outcome& outcome, const std::string& source,
                 double each);

}  // namespace polyloom::apps
