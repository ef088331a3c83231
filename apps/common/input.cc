// SPDX-License-Identifier: Apache-2.0
#include "apps/common/input.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include "fabric/error.h"
#include "fabric/host/progress_line.h"
#include "polite/generate.h"
#include "polite/generators/counter_random.h"
#include "polite/read_graph.h"

namespace polyloom::apps {
namespace {

constexpr const char* kKinds =
    "geometric:VERTICES:DEGREE[:RADIUS], kronecker:SCALE:EDGEFACTOR, uniform:VERTICES:DEGREE, "
    "grid:WIDTH:HEIGHT, cube:WIDTH:HEIGHT:DEPTH or debian";

/// "kind:a:b" or "kind:a:b:c" with whole numbers.
struct Recipe {
  std::string kind;
  std::vector<std::uint64_t> numbers;
};

Recipe parse_recipe(const std::string& text) {
  const auto reject = [&] { throw UserError("--generate " + text + ": expected " + kKinds); };
  Recipe recipe;
  std::size_t at = text.find(':');
  recipe.kind = text.substr(0, at);
  if (recipe.kind == "debian" && at == std::string::npos) return recipe;
  while (at != std::string::npos) {
    const std::size_t from = at + 1;
    at = text.find(':', from);
    const char* const last = text.data() + std::min(at, text.size());
    const auto [end, error] = std::from_chars(text.data() + from, last, recipe.numbers.emplace_back());
    if (error != std::errc() || end != last) reject();
  }
  const std::size_t least = recipe.kind == "cube" ? 3 : 2, most = recipe.kind == "geometric" ? 3 : least;
  if (recipe.numbers.size() < least || recipe.numbers.size() > most) reject();
  return recipe;
}

std::uint32_t in_range(const Options& options, std::uint64_t value, std::uint64_t most) {
  if (value > most) {
    throw UserError("--generate " + options.generate + ": " + std::to_string(value) +
                    " is too much; at most " + std::to_string(most));
  }
  return static_cast<std::uint32_t>(value);
}

polite::GraphData generate(const Options& options) {
  const Recipe recipe = parse_recipe(options.generate);
  constexpr std::uint64_t kMost = 1ull << 31;
  if (recipe.kind == "debian") return polite::read_apt_lists();
  const auto number = [&](std::size_t i) { return in_range(options, recipe.numbers[i], kMost); };
  const std::uint32_t a = number(0), b = number(1);
  const std::uint64_t seed = options.graph_seed.value_or(kGraphSeed);
  if (recipe.kind == "geometric") {
    return recipe.numbers.size() == 2 ? polite::geometric_graph(a, b, seed)
                                      : polite::geometric_square(a, number(2), b, seed);
  }
  if (recipe.kind == "kronecker") return polite::kronecker_graph(in_range(options, a, 30), b, seed);
  if (recipe.kind == "uniform") return polite::uniform_graph(a, static_cast<std::uint64_t>(a) * b, seed);
  if (recipe.kind == "grid") return polite::grid_graph(a, b);
  if (recipe.kind == "cube") return polite::cube_graph(a, b, number(2));
  throw UserError("--generate " + options.generate + ": no kind '" + recipe.kind + "'; expected " + kKinds);
}

std::string described(const Options& options) {
  if (options.graph.empty()) return options.generate;
  if (!options.converted.empty()) return options.converted[1];
  return options.graph == polite::kStandardInput ? "standard input" : options.graph;
}

/// Its edges are `mapped` where they need not change.
polite::GraphData read(const Options& options, fabric::Heartbeat& heartbeat, polite::MappedEdges& mapped) {
  polite::ReadOptions how;
  if (!options.format.empty()) how.format = polite::graph_format(options.format);
  how.columns = options.columns;
  how.called = options.converted.empty() ? "" : options.converted[1];
  how.progress = [&](std::uint64_t bytes, std::uint64_t size) { heartbeat.at(bytes, size); };
  polite::GraphData data;
  if (how.format == "arrays" && !options.undirected && !options.simple && options.max_weight == 0) {
    mapped = polite::map_graph_arrays(options.graph, described(options), data);
  } else {
    data = polite::read_graph(options.graph, how);
  }
  if (!options.converted.empty()) {
    data.format = options.converted[0];
    data.notes.insert(data.notes.end(), options.converted.begin() + 2, options.converted.end());
  }
  heartbeat.at(0, 0);  // what follows has no known length
  return data;
}

/// The shortest decimal number that is this one: what the user wrote, most likely.
std::string as_written(double number) {
  char text[32];
  const bool whole = number == std::floor(number) && std::abs(number) < 1e17;
  const auto [end, error] = whole ? std::to_chars(text, std::end(text), number, std::chars_format::fixed)
                                  : std::to_chars(text, std::end(text), number);
  return {text, end};
}

std::vector<std::uint32_t> whole_weights(const polite::GraphData& data, const EdgeArray& edges,
                                         const std::string& description) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> weights(data.weights.size());
  for (std::size_t e = 0; e < weights.size(); ++e) {
    const double weight = data.weights[e];
    if (!(weight >= 0 && weight <= kMost && weight == std::floor(weight))) {
      const char* const mend = weight < 0       ? "none below 0 is taken"
                               : weight > kMost ? "divide all weights by a power of ten and round them"
                                                : "multiply all weights by a power of ten and round them";
      throw UserError(description + ": edge " + data.names[edges[e].from] + " -> " + data.names[edges[e].to] +
                      " has weight " + as_written(weight) +
                      "; whole numbers from 0 to 4294967295 are expected (" + mend + ")");
    }
    weights[e] = static_cast<std::uint32_t>(weight);
  }
  return weights;
}

std::vector<float> fractions(const polite::GraphData& data, const EdgeArray& edges,
                             const std::string& description, bool signs) {
  std::vector<float> weights(data.weights.size());
  for (std::size_t e = 0; e < weights.size(); ++e) {
    weights[e] = static_cast<float>(data.weights[e]);
    const bool lost = data.weights[e] != 0 && std::abs(weights[e]) < std::numeric_limits<float>::min();
    if ((weights[e] >= 0 || signs) && std::isfinite(weights[e]) && !lost) continue;
    throw UserError(description + ": edge " + data.names[edges[e].from] + " -> " + data.names[edges[e].to] +
                    " has weight " + as_written(data.weights[e]) + "; numbers from " +
                    (signs ? "-3.4e38" : "0") + " to 3.4e38 are expected, none between 0 and 1.2e-38");
  }
  return weights;
}

/// Refuses a seed of which nothing is drawn.
void require_draws(const Options& options, bool weights) {
  const std::string kind = options.generate.substr(0, options.generate.find(':'));
  const bool graph = kind == "geometric" || kind == "kronecker" || kind == "uniform";
  if (options.graph_seed && !graph && !weights) {
    throw UserError("--graph-seed " + std::to_string(*options.graph_seed) + ": nothing is drawn of " +
                    (options.graph.empty() ? options.generate : options.graph) + "; leave it out");
  }
}

}  // namespace

Loaded load_graph(const Options& options, bool want_weights) {
  Loaded loaded;
  const std::string description = described(options);
  fabric::Heartbeat heartbeat((options.graph.empty() ? "making " : "reading ") + description);
  polite::MappedEdges mapped;
  polite::GraphData& data = loaded.data;
  data = options.graph.empty() ? generate(options) : read(options, heartbeat, mapped);
  if (data.vertices == 0) throw UserError(description + ": the graph is empty: it has no vertex");
  std::vector<std::string>& notes = loaded.notes;
  for (const std::string& note : data.notes) notes.push_back(description + ": " + note);
  const bool of_file = !data.weights.empty();
  if (of_file && !want_weights) {
    notes.push_back("the weights of " + description + " are not used: " + options.app +
                    " takes all edges alike");
  }
  if (options.max_weight > 0) {
    if (of_file) {
      throw UserError("--max-weight " + std::to_string(options.max_weight) + ": " + description +
                      " has weights of its own; leave it out");
    }
    if (want_weights) {
      polite::draw_weights(data, options.max_weight, options.graph_seed.value_or(kGraphSeed));
      loaded.drawn_weights = true;
    }
  }
  require_draws(options, loaded.drawn_weights);
  if (options.undirected && data.mirrored) {
    notes.push_back("--undirected adds nothing: " + description +
                    " gives both directions of every edge already");
  }
  if (!options.undirected && data.undirected_at != 0) {
    notes.push_back(description + ": line " + std::to_string(data.undirected_at) +
                    " says that the graph is undirected; it is read as directed edges; --undirected "
                    "adds the others");
  }
  if (options.undirected) data.add_reverse_edges();
  if (options.simple) {
    const auto [loops, duplicates] = data.simplify();
    notes.push_back("--simple dropped " + std::to_string(loops) +
                    (loops == 1 ? " loop and " : " loops and ") + std::to_string(duplicates) +
                    " duplicate edge" + (duplicates == 1 ? "" : "s"));
  }
  loaded.edges = mapped.memory ? EdgeArray(std::move(mapped)) : EdgeArray(std::move(data.edges));
  return loaded;
}

Input load_input(const Options& options, bool want_weights, bool take_fractions, bool signed_weights) {
  Loaded loaded = load_graph(options, want_weights);
  polite::GraphData& data = loaded.data;
  Input input;
  input.description = described(options);
  input.notes = std::move(loaded.notes);
  input.drawn_weights = loaded.drawn_weights;
  input.edges = std::move(loaded.edges);
  const bool whole = std::ranges::all_of(data.weights, [](double w) { return w == std::floor(w); });
  if (want_weights && (signed_weights || (take_fractions && !whole))) {
    input.fractions = fractions(data, input.edges, input.description, signed_weights);
  } else if (want_weights) {
    input.weights = data.weights.empty() ? std::vector<std::uint32_t>(input.edges.size(), 1)
                                         : whole_weights(data, input.edges, input.description);
  }
  input.vertices = data.vertices;
  input.names = std::move(data.names);
  input.format = std::move(data.format);
  input.packing = std::move(data.packing);
  return input;
}

bool Input::is_mutual() const {
  // Two sets are equal if sums over random functions of their elements are, but for one in 2^64.
  const polite::CounterRandom random(vertices);
  std::uint64_t difference = 0;
  for (const auto& [from, to] : edges) {
    const std::uint64_t forth = std::uint64_t{from} << 32 | to, back = std::uint64_t{to} << 32 | from;
    difference += random.bits(forth) - random.bits(back);
  }
  return difference == 0;
}

void make_undirected(Input& input) {
  struct Pair {
    std::uint32_t a, b;
    double weight;
    auto operator<=>(const Pair&) const = default;
  };
  std::vector<Pair> pairs;
  pairs.reserve(input.edges.size());
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    const auto [from, to] = input.edges[e];
    if (from != to) pairs.push_back({std::min(from, to), std::max(from, to), input.weight(e)});
  }
  std::ranges::sort(pairs);
  const auto equal = [](const Pair& x, const Pair& y) { return x.a == y.a && x.b == y.b; };
  const auto rest = std::ranges::unique(pairs, equal);  // the least weight stands first
  pairs.erase(rest.begin(), rest.end());
  const bool whole = !input.weights.empty(), fractional = !input.fractions.empty();
  std::vector<polite::Edge> edges;
  edges.reserve(2 * pairs.size());
  input.undirected = true;
  input.weights.clear();
  input.fractions.clear();
  for (const Pair& pair : pairs) {
    for (const polite::Edge edge : {polite::Edge{pair.a, pair.b}, polite::Edge{pair.b, pair.a}}) {
      edges.push_back(edge);
      if (whole) input.weights.push_back(static_cast<std::uint32_t>(pair.weight));
      if (fractional) input.fractions.push_back(static_cast<float>(pair.weight));
    }
  }
  input.edges = std::move(edges);
}

std::uint32_t vertex_called(const Input& input, const std::string& name, const char* option) {
  if (name.empty()) return 0;
  if (const auto vertex = input.names.find(name)) return *vertex;
  throw UserError(std::string(option) + " " + name + ": " + input.description +
                  " has no such vertex; its vertices are " + input.names.summary());
}

}  // namespace polyloom::apps
