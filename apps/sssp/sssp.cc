// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths with non-negative integer weights. Asynchronous: a vertex that learns of a
// shorter way tells its neighbours at once. Synchronous: it waits for the end of the superstep. Source:
// Tinsel paper, figure 8.
#include <polyloom/program.h>

inline constexpr uint32_t kUnreached = 0xffffffff;

struct SsspState {
  uint32_t id;
  uint32_t distance;   ///< shortest known; kUnreached at first
  uint32_t candidate;  ///< synchronous form: shortest heard of in this superstep
  uint32_t is_source;
};

struct SsspResult {
  uint32_t id;
  uint32_t value;
};

struct SsspMessage {
  uint32_t distance;
};

/// What both forms share. A path whose length leaves 32 bits is passed over.
struct SsspBase : PDevice<SsspState, uint32_t, SsspMessage> {
  typedef PMin<uint32_t> Combiner;
  static constexpr bool monotone = true;
  static INLINE void along(SsspMessage& message, uint32_t weight) {
    const uint32_t distance = message.distance + weight;
    message.distance = distance < weight ? kUnreached : distance;
  }
  static INLINE uint32_t neutralLabel() { return 0; }

  INLINE void init() {
    s->distance = s->is_source ? 0 : kUnreached;
    s->candidate = s->distance;
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  INLINE void send(SsspMessage* msg) {
    msg->distance = s->distance;
    *readyToSend = No;
  }
  /// Whether `distance`, a sum that ends with `weight`, is below `known` and has not wrapped.
  static INLINE bool is_shorter(uint32_t distance, uint32_t weight, uint32_t known) {
    return distance < known && distance >= weight;
  }
  INLINE bool finish(SsspResult* result) {
    result->id = s->id;
    result->value = s->distance;
    return true;
  }
};

struct SsspAsync : SsspBase {
  INLINE void recv(SsspMessage* msg, const uint32_t* weight) {
    const uint32_t distance = msg->distance + *weight;
    if (is_shorter(distance, *weight, s->distance)) {
      s->distance = distance;
      *readyToSend = Pin(0);
    }
  }
  INLINE bool step() { return false; }
};

struct SsspSync : SsspBase {
  static constexpr bool recvNeverSends = true;
  INLINE void recv(SsspMessage* msg, const uint32_t* weight) {
    const uint32_t distance = msg->distance + *weight;
    if (is_shorter(distance, *weight, s->candidate)) s->candidate = distance;
  }
  INLINE bool step() {
    if (s->candidate >= s->distance) return false;
    s->distance = s->candidate;
    *readyToSend = Pin(0);
    return true;
  }
};

struct Sssp : polyloom::Program {
  using Modes = polyloom::Modes<polyloom::Mode<"async", SsspAsync>, polyloom::Mode<"sync", SsspSync>>;
  static constexpr const char* purpose = "Shortest paths from one vertex, non-negative integer weights.";
  static constexpr bool takes_source = true;
  static constexpr bool largest_first = false;
  static constexpr double no_value = kUnreached;

  static void start(SsspState& state, const polyloom::Start& vertex) { state.is_source = vertex.is_source; }

#if POLYLOOM_HOST
  /// A vertex that the source reaches only by paths of kUnreached or more looks unreached. It has a neighbour
  /// that is reached, or it is behind one of its kind that has.
  static void check_range(const Input& input, const std::vector<double>& distances) {
    for (std::size_t i = 0; i < input.edges.size(); ++i) {
      const auto [from, to] = input.edges[i];
      if (std::isnan(distances[from]) || !std::isnan(distances[to])) continue;
      throw polyloom::UserError(
          "weights are too large: the shortest path to " + input.names[to] + " is longer than " +
          std::to_string(kUnreached - 1) + ", the most that 32 bits hold (to " + input.names[from] +
          " it is " + std::to_string(static_cast<uint32_t>(distances[from])) +
          ", and the edge between them weighs " + std::to_string(input.weights[i]) + "). Divide all weights");
    }
  }
  static std::string source_of(const Options& options, const Input& input) {
    return input.names[vertex_called(input, options.source, "--source")];
  }
  static void report(const Options& options, const Input& input, std::span<const SsspResult>,
                     Answer& answer) {
    check_range(input, answer.values);
    double sum = 0, reached = 0;
    for (const double value : answer.values) {
      if (std::isnan(value)) continue;
      sum += value;
      reached += 1;
    }
    answer.facts = {{"source", source_of(options, input)}, {"reached", reached}, {"sum_of_distances", sum}};
  }
  static void verify(const Options& options, const Input& input, Answer& answer) {
    verify_exactly(options, input, answer,
                   [&](const NamedGraph& graph) { return reference_sssp(graph, source_of(options, input)); });
  }
#endif
};

POLYLOOM_PROGRAM(Sssp)
