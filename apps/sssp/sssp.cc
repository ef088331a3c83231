// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one vertex, with weights that are not negative: whole numbers, or floats where the file
// has fractions. Asynchronous: a vertex that learns of a shorter way tells its neighbours at once.
// Synchronous: it waits for the end of the superstep. Source: Tinsel paper, figure 8.
#include <polyloom/program.h>

/// Longer than all paths.
template <typename Length>
inline constexpr Length kUnreached = polyloom::polite::top_value<Length>();

template <typename Length>
struct SsspState {
  uint32_t id;
  Length distance;   ///< shortest known; kUnreached at first
  Length candidate;  ///< synchronous form: shortest heard of in this superstep
  uint32_t is_source;
};

template <typename Length>
struct SsspResult {
  uint32_t id;
  Length value;
};

template <typename Length>
struct SsspMessage {
  Length distance;
};

/// What both forms share. A path whose length leaves 32 bits is passed over.
template <typename Length>
struct SsspBase : PDevice<SsspState<Length>, Length, SsspMessage<Length>> {
  using Device = PDevice<SsspState<Length>, Length, SsspMessage<Length>>;
  using Device::readyToSend;
  using Device::s;
  typedef PMin<Length> Combiner;
  static constexpr bool monotone = true;
  static INLINE void along(SsspMessage<Length>& message, Length weight) {
    const Length distance = message.distance + weight;
    message.distance = distance < weight ? kUnreached<Length> : distance;
  }
  static INLINE Length neutralLabel() { return 0; }

  INLINE void init() {
    s->distance = s->is_source ? Length(0) : kUnreached<Length>;
    s->candidate = s->distance;
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  INLINE void send(SsspMessage<Length>* msg) {
    msg->distance = s->distance;
    *readyToSend = No;
  }
  /// Whether `distance`, a sum that ends with `weight`, is below `known` and has not wrapped.
  static INLINE bool is_shorter(Length distance, Length weight, Length known) {
    return distance < known && distance >= weight;
  }
  INLINE bool finish(SsspResult<Length>* result) {
    result->id = s->id;
    result->value = s->distance;
    return true;
  }
};

template <typename Length>
struct SsspAsync : SsspBase<Length> {
  using SsspBase<Length>::readyToSend;
  using SsspBase<Length>::s;
  INLINE void recv(SsspMessage<Length>* msg, const Length* weight) {
    const Length distance = msg->distance + *weight;
    if (this->is_shorter(distance, *weight, s->distance)) {
      s->distance = distance;
      *readyToSend = Pin(0);
    }
  }
  INLINE bool step() { return false; }
};

template <typename Length>
struct SsspSync : SsspBase<Length> {
  using SsspBase<Length>::readyToSend;
  using SsspBase<Length>::s;
  static constexpr bool recvNeverSends = true;
  static constexpr bool stepNeedsMessages = true;
  INLINE void recv(SsspMessage<Length>* msg, const Length* weight) {
    const Length distance = msg->distance + *weight;
    if (this->is_shorter(distance, *weight, s->candidate)) s->candidate = distance;
  }
  INLINE bool step() {
    if (s->candidate >= s->distance) return false;
    s->distance = s->candidate;
    *readyToSend = Pin(0);
    return true;
  }
};

struct Sssp : polyloom::Program {
  using Modes = polyloom::Modes<
      polyloom::Mode<"async", SsspAsync<uint32_t>>, polyloom::Mode<"sync", SsspSync<uint32_t>>,
      polyloom::Variant<"async_float", SsspAsync<float>>, polyloom::Variant<"sync_float", SsspSync<float>>>;
  static constexpr const char* purpose = "Shortest paths from one vertex, non-negative weights.";
  static constexpr bool takes_source = true;
  static constexpr bool takes_fractions = true;
  static constexpr bool largest_first = false;
  static constexpr double no_value = kUnreached<uint32_t>;

  template <typename Length>
  static void start(SsspState<Length>& state, const polyloom::Start& vertex) {
    state.is_source = vertex.is_source;
  }

#if POLYLOOM_HOST
  static constexpr polyloom::Flag flags[] = {
      {"predecessors", "Also the vertex before each on a shortest path: a column of --out"}};

  static std::string variant(const Options& options, const Input& input) {
    return options.mode + (input.fractions.empty() ? "" : "_float");
  }
  /// A vertex that the source reaches only by paths of kUnreached or more looks unreached. It has a neighbour
  /// that is reached, or it is behind one of its kind that has.
  static void check_range(const Input& input, const std::vector<double>& distances) {
    for (std::size_t i = 0; i < input.edges.size(); ++i) {
      const auto [from, to] = input.edges[i];
      if (std::isnan(distances[from]) || !std::isnan(distances[to])) continue;
      char known[32], weight[32];
      std::snprintf(known, sizeof known, "%.10g", distances[from]);
      std::snprintf(weight, sizeof weight, "%.10g", input.weight(i));
      throw polyloom::UserError(
          "weights are too large: the shortest path to " + input.names[to] + " is longer than " +
          (input.fractions.empty() ? std::to_string(kUnreached<uint32_t> - 1) + ", the most that 32 bits hold"
                                   : "3.4e38, the most that single precision holds") +
          " (to " + input.names[from] + " it is " + known + ", and the edge between them weighs " + weight +
          "). Divide all weights");
    }
  }
  /// Whether a path to the edge's source and then the edge is a shortest path to its target.
  static bool is_tight(const Input& input, const std::vector<double>& distances, std::size_t edge) {
    const double from = distances[input.edges[edge].from], to = distances[input.edges[edge].to];
    // As vertices add: NaN equals nothing.
    return input.fractions.empty()
               ? from + input.weight(edge) == to
               : static_cast<float>(from) + input.fractions[edge] == static_cast<float>(to);
  }
  /// The vertices before each on a tree of shortest paths: breadth-first search along tight edges, so that
  /// edges of weight 0 make no circles.
  static std::vector<double> predecessors(const Input& input, const std::vector<double>& distances,
                                          uint32_t source) {
    std::vector<uint64_t> begin(input.vertices + 1ull, 0);
    for (std::size_t e = 0; e < input.edges.size(); ++e)
      begin[input.edges[e].from + 1ull] += is_tight(input, distances, e);
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<uint32_t> to(begin.back());
    std::vector<uint64_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
      if (is_tight(input, distances, e)) to[next[input.edges[e].from]++] = input.edges[e].to;
    }
    std::vector<double> before(input.vertices, std::numeric_limits<double>::quiet_NaN());
    std::vector<uint32_t> queue{source};
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const uint32_t v = queue[head];
      for (uint64_t i = begin[v]; i < begin[v + 1ull]; ++i) {
        if (to[i] == source || !std::isnan(before[to[i]])) continue;
        before[to[i]] = v;
        queue.push_back(to[i]);
      }
    }
    return before;
  }
  static std::string source_of(const Options& options, const Input& input) {
    return input.names[vertex_called(input, options.source, "--source")];
  }
  template <typename Length>
  static void report(const Options& options, const Input& input, std::span<const SsspResult<Length>>,
                     Outcome& outcome) {
    check_range(input, outcome.values);
    double sum = 0, reached = 0;
    for (const double value : outcome.values) {
      if (std::isnan(value)) continue;
      sum += value;
      reached += 1;
    }
    outcome.facts = {{"source", source_of(options, input)}, {"reached", reached}, {"sum_of_distances", sum}};
    if (!input.fractions.empty())
      outcome.notes.push_back(
          "weights are not all whole numbers: distances are summed up in single precision");
    if (options.given.contains("predecessors")) {
      const uint32_t source = vertex_called(input, options.source, "--source");
      outcome.columns.push_back({"predecessor", predecessors(input, outcome.values, source), true});
    }
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    const std::string source = source_of(options, input);
    const auto reference = [&](const NamedGraph& graph) { return reference_sssp(graph, source); };
    if (input.fractions.empty()) {
      verify_exactly(options, input, outcome, reference);
    } else {
      verify_each_closely(options, input, outcome, 1e-5, reference);
    }
    if (!outcome.columns.empty())
      verify_tree(options, input, outcome, source, input.fractions.empty() ? 0 : 1e-5);
  }
#endif
};

POLYLOOM_PROGRAM(Sssp)
