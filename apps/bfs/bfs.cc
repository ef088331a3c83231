// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: how many edges every vertex is away from one. A superstep is a level: who is reached
// in it tells its neighbours, once. Source: Moore, 1959.
#include <polyloom/program.h>

inline constexpr uint32_t kUnreached = 0xffffffff;

struct BfsState {
  uint32_t id;
  uint32_t distance;  ///< kUnreached at first
  uint32_t heard;     ///< the distance that a neighbour's message brings
  uint32_t is_source;
};

struct BfsResult {
  uint32_t id;
  uint32_t value;
};

struct BfsMessage {
  uint32_t distance;  ///< of who hears it
};

struct BfsVertex : PDevice<BfsState, None, BfsMessage> {
  typedef PMin<uint32_t> Combiner;
  static constexpr bool monotone = true;
  static constexpr bool recvNeverSends = true;
  static constexpr bool stepNeedsMessages = true;

  INLINE void init() {
    s->distance = s->heard = s->is_source ? 0 : kUnreached;
    *readyToSend = s->is_source ? Pin(0) : No;
  }
  INLINE void send(BfsMessage* message) {
    message->distance = s->distance + 1;
    *readyToSend = No;
  }
  INLINE void recv(BfsMessage* message, None*) {
    if (message->distance < s->heard) s->heard = message->distance;
  }
  INLINE bool step() {
    if (s->heard >= s->distance) return false;
    s->distance = s->heard;
    *readyToSend = Pin(0);
    return true;
  }
  INLINE bool finish(BfsResult* result) {
    result->id = s->id;
    result->value = s->distance;
    return true;
  }
};

struct Bfs : polyloom::Program {
  using Vertex = BfsVertex;
  static constexpr const char* purpose = "Breadth-first search: distances from one vertex in hops.";
  static constexpr bool takes_source = true;
  static constexpr bool largest_first = false;
  static constexpr double no_value = kUnreached;

  static void start(BfsState& state, const polyloom::Start& vertex) { state.is_source = vertex.is_source; }

#if POLYLOOM_HOST
  static std::string source_of(const Options& options, const Input& input) {
    return input.names[vertex_called(input, options.source, "--source")];
  }
  static void report(const Options& options, const Input& input, std::span<const BfsResult>,
                     Outcome& outcome) {
    double reached = 0, depth = 0;
    for (const double value : outcome.values) {
      if (std::isnan(value)) continue;
      reached += 1;
      depth = std::max(depth, value);
    }
    outcome.facts = {{"source", source_of(options, input)}, {"reached", reached}, {"depth", depth}};
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    verify_exactly(options, input, outcome, [&](const NamedGraph& graph) {
      return polyloom::apps::reference_hops(graph, source_of(options, input));
    });
  }
#endif
};

POLYLOOM_PROGRAM(Bfs)
