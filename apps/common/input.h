// SPDX-License-Identifier: Apache-2.0
// The graph that an application works on, from a file or a generator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/options.h"
#include "polite/graph_arrays.h"
#include "polite/graph_store.h"
#include "polite/vertex_names.h"

namespace polyloom::apps {

/// Edges in memory of their own, or in a file that is mapped.
class EdgeArray : public std::span<const polite::Edge> {
 public:
  EdgeArray() = default;
  EdgeArray(std::vector<polite::Edge> edges) : EdgeArray(std::make_shared<Own>(std::move(edges))) {}
  EdgeArray(polite::MappedEdges mapped) : span(mapped.edges), memory_(std::move(mapped.memory)) {}

 private:
  using Own = const std::vector<polite::Edge>;
  explicit EdgeArray(const std::shared_ptr<Own>& own) : span(*own), memory_(own) {}

  std::shared_ptr<const void> memory_;
};

struct Input {
  std::uint32_t vertices = 0;
  EdgeArray edges;
  std::vector<std::uint32_t> weights;  ///< one an edge; empty unless asked for
  std::vector<float> fractions;        ///< in their place, where some weight is no whole number or signed
  polite::VertexNames names;           ///< the file's
  std::string description;             ///< file name or generator
  std::string format, packing;         ///< of the file, as polite::GraphData has them
  std::vector<std::string> notes;      ///< what the user should know of how the graph was taken
  bool drawn_weights = false;          ///< by us, not the file's
  bool undirected = false;             ///< make_undirected() has been here

  /// Whether every edge has its reverse, parallel edges as many.
  bool is_mutual() const;
  /// Forgets edges and weights, which may be most of a program's memory.
  void drop_edges() {
    edges = {};
    std::vector<std::uint32_t>().swap(weights);
    std::vector<float>().swap(fractions);
  }
  /// Of an edge; 1 where there are none.
  double weight(std::size_t edge) const {
    return !weights.empty() ? weights[edge] : fractions.empty() ? 1.0 : static_cast<double>(fractions[edge]);
  }
};

/// A graph as its file or generator gives it, with --undirected and --simple.
struct Loaded {
  polite::GraphData data;  ///< without the edges
  EdgeArray edges;
  std::vector<std::string> notes;
  bool drawn_weights = false;
};
Loaded load_graph(const Options& options, bool want_weights);

/// Loads or makes the graph that the options name; progress on standard error if it is a terminal. With
/// `want_weights` the result has weights: the file's, or drawn (--max-weight), or all 1; without, a note says
/// that a file's are not used. With `take_fractions` they need not be whole numbers; `signed_weights` are the
/// file's or none, and fractions. Throws UserError, for a graph without vertices too.
Input load_input(const Options& options, bool want_weights = false, bool take_fractions = false,
                 bool signed_weights = false);

/// Both ways between neighbours, each pair once and with the least of its weights; no loops.
void make_undirected(Input& input);

/// The vertex that an option names; the first if `name` is empty. Throws UserError if there is none.
std::uint32_t vertex_called(const Input& input, const std::string& name, const char* option);

}  // namespace polyloom::apps
