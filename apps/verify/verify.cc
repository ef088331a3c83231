// SPDX-License-Identifier: Apache-2.0
#include "apps/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "fabric/error.h"
#include "fabric/host/progress_line.h"

namespace polyloom::apps {
namespace {

/// What the two readings of a file disagree about.
struct Disagreement : UserError {
  using UserError::UserError;
};

/// A generated graph as it is: no other reader knows it.
NamedGraph as_made(const Input& input) {
  NamedGraph graph;
  for (std::uint32_t v = 0; v < input.vertices; ++v) graph.names.push_back(input.names[v]);
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    graph.arcs.push_back({input.edges[e].from, input.edges[e].to, input.weight(e)});
  }
  return graph;
}

/// Made graphs have no file, and files that are binary or were converted no second reader.
bool of_computation_alone(const Options& options, const Input& input) {
  return options.graph.empty() || !options.converted.empty() || input.format == "sg" || input.format == "wsg";
}

NamedGraph again(const Options& options, const Input& input) {
  if (of_computation_alone(options, input)) return as_made(input);
  NamedGraph graph;
  try {
    graph = read_again(options.graph, options.format, options.columns);
  } catch (const UserError& error) {
    throw Disagreement(std::string("the second reading of the file ends: ") + error.what());
  }
  if (graph.format != input.format)
    throw Disagreement("the run took the file for " + input.format + ", the second reading for " +
                       graph.format);
  if (options.undirected) add_reverse_arcs(graph);
  if (options.simple) simplify(graph);
  if (input.undirected) {
    graph.both_directions = false;  // a pair takes the lesser weight of its two directions
    add_reverse_arcs(graph);
    simplify(graph);
  }
  return graph;
}

/// The run's vertex of each name has which number in `graph`?
std::vector<std::uint32_t> numbers_in(const NamedGraph& graph, const Input& input) {
  const auto differ = [](const char* what, std::size_t ours, std::size_t theirs) {
    throw Disagreement("the run's graph has " + std::to_string(ours) + " " + what + ", the file has " +
                       std::to_string(theirs));
  };
  if (input.vertices != graph.names.size()) differ("vertices", input.vertices, graph.names.size());
  if (input.edges.size() != graph.arcs.size()) differ("edges", input.edges.size(), graph.arcs.size());
  std::unordered_map<std::string_view, std::uint32_t> number;
  number.reserve(graph.names.size());
  for (const std::string& name : graph.names) number.emplace(name, static_cast<std::uint32_t>(number.size()));
  std::vector<std::uint32_t> numbers(input.vertices);
  std::vector<bool> taken(input.vertices, false);
  for (std::uint32_t v = 0; v < input.vertices; ++v) {
    const std::string name = input.names[v];
    const auto at = number.find(name);
    if (at == number.end()) throw Disagreement("the run has a vertex " + name + ", the file has none");
    if (taken[at->second]) throw Disagreement("the run has two vertices " + name);
    taken[at->second] = true;
    numbers[v] = at->second;
  }
  return numbers;
}

/// Weights that we drew are in no file: they are taken over, edge by edge.
void take_weights(NamedGraph& graph, const Input& input, const std::vector<std::uint32_t>& numbers) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> drawn;
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    drawn[{numbers[input.edges[e].from], numbers[input.edges[e].to]}].push_back(input.weight(e));
  }
  for (auto& arc : graph.arcs) {
    auto& left = drawn[{arc.from, arc.to}];
    if (left.empty())
      throw Disagreement("the run lacks the edge " + graph.names[arc.from] + " -> " + graph.names[arc.to]);
    arc.weight = left.back();
    left.pop_back();
  }
}

struct Bounds {
  double l1 = 0, worst = 0;
  bool of_numbers = false;  ///< every vertex has one: NaN is wrong even where both have it
  double each = 0;          ///< of a value itself: smaller differences are none
};

void compare(const std::vector<double>& ours, const std::vector<double>& reference, const Bounds& bounds,
             Verification& check) {
  double scale = 0;
  for (std::size_t v = 0; v < reference.size(); ++v) {
    const bool none = std::isnan(ours[v]) || std::isnan(reference[v]);
    const bool alike = std::isnan(ours[v]) && std::isnan(reference[v]) && !bounds.of_numbers;
    const double difference = none ? (alike ? 0.0 : HUGE_VAL) : std::abs(ours[v] - reference[v]);
    if (!none && difference <= bounds.each * std::abs(reference[v])) continue;
    check.l1 += difference;
    check.worst = std::max(check.worst, difference);
    if (!none) scale = std::max(scale, std::abs(reference[v]));
  }
  if (scale > 0) check.worst /= scale;
  check.ok = check.l1 <= bounds.l1 && check.worst <= bounds.worst;
}

void verify(const Options& options, const Input& input, Outcome& outcome, const Reference& reference,
            const Bounds& bounds, bool of_vertices) {
  const fabric::Heartbeat heartbeat("verifying");
  Verification& check = outcome.verification;
  check.done = true;
  check.covers = options.graph.empty() ? "the computation; the graph is made, not read"
                 : of_computation_alone(options, input)
                     ? "the computation; a file of format " + input.format + " is not read a second time"
                     : "file and computation";
  if (input.drawn_weights) check.covers += "; the weights are drawn, not read";
  try {
    NamedGraph graph = again(options, input);
    const std::vector<std::uint32_t> numbers = numbers_in(graph, input);
    if (input.drawn_weights) take_weights(graph, input, numbers);
    std::vector<double> ours(numbers.size());
    for (std::size_t v = 0; v < ours.size(); ++v) {
      const double value = outcome.values[v];
      ours[numbers[v]] = of_vertices ? numbers.at(static_cast<std::size_t>(value)) : value;
    }
    compare(ours, reference(graph), bounds, check);
  } catch (const Disagreement& error) {
    check.ok = false;
    check.l1 = check.worst = HUGE_VAL;
    check.criterion = error.what();
  }
}

void verify_equal(const Options& options, const Input& input, Outcome& outcome, const Reference& reference,
                  bool of_vertices) {
  outcome.verification.criterion = "equal to an independent computation";
  verify(options, input, outcome, reference, {}, of_vertices);
}

/// An edge from the vertex before makes each distance, and the way back along such edges ends at the source.
bool is_tree(const NamedGraph& graph, const std::vector<double>& distance, const std::vector<double>& before,
             std::uint32_t source, double each) {
  std::vector<bool> made(distance.size(), false);
  for (const auto& arc : graph.arcs) {
    const double length = distance[arc.from] + arc.weight;
    if (before[arc.to] == arc.from && std::abs(length - distance[arc.to]) <= each * length)
      made[arc.to] = true;
  }
  std::vector<bool> known(distance.size(), false);  // that it leads to the source
  known[source] = true;
  for (std::uint32_t v = 0; v < distance.size(); ++v) {
    if (v == source ? !std::isnan(before[v]) : std::isnan(distance[v]) ? !std::isnan(before[v]) : !made[v])
      return false;
    std::vector<std::uint32_t> path;
    for (std::uint32_t w = v; !std::isnan(distance[w]) && !known[w];
         w = static_cast<std::uint32_t>(before[w])) {
      if (!made[w] || path.size() > distance.size()) return false;
      path.push_back(w);
    }
    for (const std::uint32_t w : path) known[w] = true;
  }
  return true;
}

}  // namespace

void verify_each_closely(const Options& options, const Input& input, Outcome& outcome, double each,
                         const Reference& reference) {
  char text[64];
  std::snprintf(text, sizeof text, "each value by at most %g of itself", each);
  outcome.verification.criterion = text;
  verify(options, input, outcome, reference, {.each = each}, false);
}

void verify_tree(const Options& options, const Input& input, Outcome& outcome, const std::string& source,
                 double each) {
  Verification& check = outcome.verification;
  if (!check.ok) return;
  NamedGraph graph = again(options, input);
  const std::vector<std::uint32_t> numbers = numbers_in(graph, input);
  if (input.drawn_weights) take_weights(graph, input, numbers);
  std::vector<double> distance(numbers.size()), before(numbers.size());
  for (std::size_t v = 0; v < numbers.size(); ++v) {
    const double vertex = outcome.columns.back().values[v];
    distance[numbers[v]] = outcome.values[v];
    before[numbers[v]] = std::isnan(vertex) ? vertex : numbers.at(static_cast<std::size_t>(vertex));
  }
  const std::uint32_t root = numbers[*input.names.find(source)];
  check.ok = is_tree(graph, distance, before, root, each);
  check.criterion += check.ok ? ", and predecessors make a tree of such paths"
                              : ", but predecessors make no tree of such paths";
}

void verify_exactly(const Options& options, const Input& input, Outcome& outcome,
                    const Reference& reference) {
  verify_equal(options, input, outcome, reference, false);
}

void verify_vertices(const Options& options, const Input& input, Outcome& outcome,
                     const Reference& reference) {
  verify_equal(options, input, outcome, reference, true);
}

void verify_closely(const Options& options, const Input& input, Outcome& outcome, double l1, double worst,
                    const Reference& reference) {
  char text[96];
  std::snprintf(text, sizeof text, "L1 at most %g, worst vertex at most %g of the largest value", l1, worst);
  outcome.verification.criterion = text;
  verify(options, input, outcome, reference, {l1, worst, true}, false);
}

}  // namespace polyloom::apps
