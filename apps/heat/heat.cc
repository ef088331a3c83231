// SPDX-License-Identifier: Apache-2.0
// Heat: what a vertex holds flows to colder neighbours, u(v) += r * sum over neighbours w of (u(w) - u(v)),
// step by step: the explicit Euler method, stable while r times the neighbours of a vertex is at most 1. Held
// vertices keep what they have. Source: docs/sources/tinsel.md, 6 (heat-sync, heat-gals, heat-grid-sync,
// heat-cube-sync).
#include <polyloom/program.h>

#if POLYLOOM_HOST
#include <fmt/format.h>

#include "apps/common/values_file.h"
#endif

struct HeatState {
  float value;
  float degree;    ///< its neighbours
  float rate;      ///< r; of a held vertex 0
  float sum;       ///< of the neighbours' values
  uint32_t steps;  ///< still to be made
  uint32_t id;
};

struct HeatResult {
  uint32_t id;
  float value;
};

struct HeatMessage {
  float value;
};

/// A superstep a step.
struct HeatVertex : PDevice<HeatState, None, HeatMessage> {
  typedef PSum<float> Combiner;
  static constexpr bool recvNeverSends = true;
  static constexpr bool sendsEveryStep = true;

  INLINE void init() { *readyToSend = s->steps > 0 ? Pin(0) : No; }
  INLINE void send(HeatMessage* msg) {
    msg->value = s->value;
    *readyToSend = No;
  }
  INLINE void recv(HeatMessage* msg, None*) { s->sum += msg->value; }
  INLINE bool step() {
    if (s->steps == 0) return false;
    s->value += s->rate * (s->sum - s->degree * s->value);
    s->sum = 0;
    if (--s->steps == 0) return false;
    *readyToSend = Pin(0);
    return true;
  }
  INLINE bool finish(HeatResult* result) {
    result->id = s->id;
    result->value = s->value;
    return true;
  }
};

/// The same without barriers: a vertex makes a step when it has heard all its neighbours, which are at most a
/// step ahead, so two sums and two counts are enough.
struct HeatGalsState {
  float value;
  float degree, rate;
  float sum[2];         ///< by parity of the step
  uint32_t missing[2];  ///< messages that a step still waits for
  uint32_t neighbours;
  uint32_t steps;      ///< still to be made
  uint32_t requested;  ///< steps, still to be made, for which the value has been sent
  uint32_t id;
};

struct HeatGalsMessage {
  float value;
  uint32_t steps;  ///< that the sender still has to make
};

struct HeatGalsVertex : PDevice<HeatGalsState, None, HeatGalsMessage> {
  INLINE void request() { *readyToSend = s->steps > 0 && s->neighbours > 0 ? Pin(0) : No; }
  /// Makes the step that is complete.
  INLINE void advance() {
    const uint32_t parity = s->steps & 1;
    if (s->requested != s->steps || s->missing[parity] != 0) return;
    s->value += s->rate * (s->sum[parity] - s->degree * s->value);
    s->sum[parity] = 0;
    s->missing[parity] = s->neighbours;
    s->steps--;
    request();
  }
  INLINE void init() {
    s->missing[0] = s->missing[1] = s->neighbours;
    s->requested = s->steps + 1;
    request();
  }
  INLINE void send(HeatGalsMessage* msg) {
    msg->value = s->value;
    msg->steps = s->requested = s->steps;
    *readyToSend = No;
    advance();
  }
  INLINE void recv(HeatGalsMessage* msg, None*) {
    const uint32_t parity = msg->steps & 1;
    s->sum[parity] += msg->value;
    s->missing[parity]--;
    advance();
  }
  INLINE bool step() { return false; }
  INLINE bool finish(HeatResult* result) {
    result->id = s->id;
    result->value = s->value;
    return true;
  }
};

struct Heat : polyloom::Program {
  using Modes = polyloom::Modes<polyloom::Mode<"sync", HeatVertex>, polyloom::Mode<"gals", HeatGalsVertex>>;
  static constexpr const char* purpose = "Heat that flows between the vertices of a graph.";
  static constexpr polyloom::Edges edges = polyloom::Edges::undirected;
  static constexpr bool draws = true;  // temperatures at the start
  static constexpr polyloom::Parameter parameters[] = {
      {"steps", 100, "Steps to make", 0},
      {"rate", 0,
       "Share of a difference that crosses an edge in a step (default: 1 / (1 + the most neighbours))", 0, 1,
       false}};

  static void start(HeatGalsState& state, const polyloom::Start& vertex) {
    state.neighbours = vertex.out_edges;
  }

#if POLYLOOM_HOST
  static constexpr polyloom::Text texts[] = {
      {"start",
       "",
       "File of lines NAME,VALUE: temperatures at the start; of all other vertices 0",
       {},
       polyloom::File::read},
      {"held",
       "",
       "File of lines NAME,VALUE: vertices that keep this temperature",
       {},
       polyloom::File::read}};

  static constexpr double kHottest = 100;

  /// A vertex's temperature by its name, so that it does not depend on the order in which a file is read.
  static double drawn(std::string_view name, uint64_t seed) {
    uint64_t hash = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull);  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ull;
    return kHottest * static_cast<double>(hash >> 11) * 0x1.0p-53;
  }
  /// What every vertex has before the first step, and who keeps it.
  struct Before {
    std::vector<double> value;
    std::vector<bool> held;
  };
  template <typename Names>
  static Before before(const Options& options, const Names& names, std::size_t vertices) {
    Before all{std::vector<double>(vertices, 0), std::vector<bool>(vertices, false)};
    for (uint32_t v = 0; options.text("start").empty() && v < vertices; ++v)
      all.value[v] = drawn(std::string(names[v]), options.seed);
    for (const char* option : {"start", "held"}) {
      const std::string file = options.text(option);
      if (file.empty()) continue;
      std::map<std::string, double> given = polyloom::apps::read_values(file);
      for (uint32_t v = 0; v < vertices; ++v) {
        const auto at = given.find(std::string(names[v]));
        if (at == given.end()) continue;
        if (!std::isfinite(at->second) || std::abs(at->second) > std::numeric_limits<float>::max())
          throw polyloom::UserError("--" + std::string(option) + " " + file + ": " + at->first +
                                    " has no temperature: a number that single precision has is expected");
        all.value[v] = at->second;
        if (std::string_view(option) == "held") all.held[v] = true;
        given.erase(at);
      }
      if (!given.empty())
        throw polyloom::UserError("--" + std::string(option) + " " + file + ": the graph has no vertex " +
                                  given.begin()->first);
    }
    return all;
  }
  static uint32_t most_neighbours(const Input& input) {
    std::vector<uint32_t> count(input.vertices, 0);
    for (const auto& edge : input.edges) ++count[edge.from];
    return std::ranges::max(count);
  }
  static double rate(const Options& options, const Input& input) {
    return options.given.contains("rate") ? options.parameter("rate") : 1.0 / (1.0 + most_neighbours(input));
  }
  static void check(const Options& options, const Input& input) {
    if (!options.given.contains("rate")) return;
    const double rate = options.parameter("rate"), most = most_neighbours(input);
    if (rate * most > 1)
      throw polyloom::UserError(
          fmt::format("--rate {:g}: a vertex has {:g} neighbours, and above 1 / {:g} it would hand on more "
                      "than it has; give at most {:g}",
                      rate, most, most, 1 / most));
  }
  template <typename Graph>
  static void prepare(Graph& graph, const Options& options, const Input& input, uint32_t) {
    const Before all = before(options, input.names, input.vertices);
    const double r = rate(options, input);
    for (uint32_t v = 0; v < input.vertices; ++v) {
      auto& state = graph.devices[v]->state;
      state.value = static_cast<float>(all.value[v]);
      state.rate = all.held[v] ? 0 : static_cast<float>(r);
      state.degree = static_cast<float>(graph.fanOut(v));
      state.steps = static_cast<uint32_t>(options.parameter("steps"));
    }
  }
  static void report(const Options& options, const Input& input, std::span<const HeatResult>,
                     Outcome& outcome) {
    const auto [coldest, hottest] = std::ranges::minmax(outcome.values);
    const Before all = before(options, input.names, input.vertices);
    const auto mean = [](const std::vector<double>& values) {
      return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    };
    outcome.facts = {{"steps", options.parameter("steps")},
                     {"rate", rate(options, input)},
                     {"coldest", coldest},
                     {"hottest", hottest},
                     {"mean", mean(outcome.values)},
                     {"mean_at_start", mean(all.value)}};
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    const auto steps = static_cast<uint64_t>(options.parameter("steps"));
    double most = 0;
    for (const double value : outcome.values) most = std::max(most, std::abs(value));
    // A step rounds a value by half a unit of its last place, and flowing heat evens errors out, too.
    const double worst = std::max(1e-6, std::ldexp(static_cast<double>(steps), -24));
    verify_closely(options, input, outcome, worst * most * input.vertices, worst,
                   [&](const NamedGraph& graph) {
                     const Before all = before(options, graph.names, graph.names.size());
                     return reference_heat(graph, all.value, all.held, rate(options, input), steps);
                   });
  }
#endif
};

POLYLOOM_PROGRAM(Heat)
