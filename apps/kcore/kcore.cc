// SPDX-License-Identifier: Apache-2.0
// Core numbers: a vertex of core number k belongs to a part of the graph in which all have k neighbours or
// more, and to none in which all have k + 1. Vertices with fewer than k neighbours leave, for k = 1, 2 and so
// on. Who leaves tells its neighbours, which may leave then. Source: Matula and Beck, 1983 (smallest last).
#include <polyloom/program.h>

/// What a vertex knows. The same layout on host and threads: integers of fixed width and floats, no pointers.
struct CoreState {
  uint32_t id;    ///< its number, which is filled in
  uint32_t left;  ///< neighbours that have not left
  uint32_t k;     ///< who has fewer neighbours leaves
  uint32_t core;  ///< its core number, when it has left
  uint32_t gone;
};

/// How many neighbours have left.
struct CoreMessage {
  uint32_t count;
};

/// The result of a vertex.
struct CoreResult {
  uint32_t id;
  uint32_t value;
};

/// What a vertex does; None: edges have no labels.
struct CoreVertex : PDevice<CoreState, None, CoreMessage> {
  typedef PSum<uint32_t> Combiner;  // messages to one vertex may be added up on their way

  INLINE void leave_if_few() {
    if (s->gone || s->left >= s->k) return;
    s->gone = 1;
    s->core = s->k - 1;
    *readyToSend = Pin(0);  // send() will be called
  }
  /// Once, before all else.
  INLINE void init() { *readyToSend = No; }
  /// The message that all neighbours get.
  INLINE void send(CoreMessage* message) {
    message->count = 1;
    *readyToSend = No;
  }
  INLINE void recv(CoreMessage* message, None*) {
    s->left -= message->count;
    leave_if_few();
  }
  /// When no vertex sends any more and all messages have arrived; true: go on.
  INLINE bool step() {
    if (s->gone) return false;
    s->k++;
    leave_if_few();
    return true;
  }
  /// When step() was false everywhere.
  INLINE bool finish(CoreResult* result) {
    result->id = s->id;
    result->value = s->core;
    return true;
  }
};

/// What the command line needs to know.
struct Core : polyloom::Program {
  using Vertex = CoreVertex;
  static constexpr const char* purpose = "Core numbers of an undirected graph.";
  static constexpr polyloom::Edges edges = polyloom::Edges::undirected;

  static void start(CoreState& state, const polyloom::Start& vertex) { state.left = vertex.out_edges; }

#if POLYLOOM_HOST
  static void report(const Options&, const Input&, std::span<const CoreResult>, Outcome& outcome) {
    outcome.facts = {{"largest_core", *std::ranges::max_element(outcome.values)}};
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    verify_exactly(options, input, outcome, polyloom::apps::reference_core_numbers);
  }
#endif
};

POLYLOOM_PROGRAM(Core)
