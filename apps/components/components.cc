// SPDX-License-Identifier: Apache-2.0
// Connected components; every vertex ends with the smallest vertex number of its component.
//
// weak: by minimum label (HashMin), edges count both ways. Source: Tinsel paper, section VI.
//
// strong: by forward colouring and backward search. Who has no way in or no way out leaves, alone, and tells
// both sides, who may leave then; what is left takes for its colour the greatest priority that reaches it
// along edges; the vertex whose own priority is its colour, and all of that colour that reach it, are a
// component, which finds its smallest number and leaves. Then again. Priorities are numbers shuffled, so that
// of components in a row not one but a share settles at a time. Source: Orzan, 2004, chapter 5.
#include <polyloom/program.h>

struct HashMinState {
  uint32_t id;
  uint32_t label;
};

struct ComponentResult {
  uint32_t id;
  uint32_t value;
};

struct HashMinMessage {
  uint32_t label;
};

struct HashMinVertex : PDevice<HashMinState, None, HashMinMessage> {
  typedef PMin<uint32_t> Combiner;
  static constexpr bool monotone = true;
  INLINE void init() {
    s->label = s->id;
    *readyToSend = Pin(0);
  }
  INLINE void send(HashMinMessage* msg) {
    msg->label = s->label;
    *readyToSend = No;
  }
  INLINE void recv(HashMinMessage* msg, None*) {
    if (msg->label < s->label) {
      s->label = msg->label;
      *readyToSend = Pin(0);
    }
  }
  INLINE bool step() { return false; }
  INLINE bool finish(ComponentResult* result) {
    result->id = s->id;
    result->value = s->label;
    return true;
  }
};

/// What all do together, one after the other, each until no vertex has anything to send.
enum Phase : uint32_t { kLeave, kColour, kSearch, kName, kPhases };
enum Standing : uint32_t { kIn, kMember, kOut };

struct StrongState {
  uint32_t id;
  uint32_t label;  ///< smallest number of the component that is known
  uint32_t colour;
  uint32_t standing;  ///< in the graph; in a component that has been found; out of the graph
  uint32_t phase;
  uint32_t ways[2];   ///< neighbours in the graph behind Pin(0) and Pin(1): out-edges, in-edges
  uint32_t reported;  ///< pins on which it has said that it leaves
};

struct StrongMessage {
  uint32_t word;  ///< the colour; of who leaves, behind which of the receiver's pins it was
  uint32_t label;
};

struct StrongVertex : PDevice<StrongState, None, StrongMessage> {
  static constexpr uint32_t numPins = 2;

  /// Each number another one.
  INLINE uint32_t priority() const {
    uint32_t x = s->id * 0x9e3779b1u;
    x ^= x >> 15;
    return x * 0x85ebca6bu;
  }
  INLINE void leave() {
    s->standing = kOut;
    *readyToSend = Pin(0);
  }
  INLINE void leave_if_alone() {
    if (s->ways[0] == 0 || s->ways[1] == 0) leave();
  }
  INLINE void join() {
    s->standing = kMember;
    *readyToSend = Pin(1);
  }

  INLINE void init() {
    s->label = s->id;
    *readyToSend = No;
    leave_if_alone();
  }
  INLINE void send(StrongMessage* message) {
    message->word = s->colour;
    message->label = s->label;
    *readyToSend = No;
    if (s->phase != kLeave) return;
    message->word = 1 - s->reported;
    if (s->reported++ == 0) *readyToSend = Pin(1);
  }
  INLINE void recv(StrongMessage* message, None*) {
    if (s->standing == kOut) return;
    if (s->phase == kLeave) {
      s->ways[message->word & 1]--;
      leave_if_alone();
    } else if (s->phase == kColour) {
      if (message->word <= s->colour) return;
      s->colour = message->word;
      *readyToSend = Pin(0);
    } else if (message->word != s->colour) {
      return;
    } else if (s->phase == kSearch) {
      if (s->standing == kIn) join();
    } else if (s->standing == kMember && message->label < s->label) {
      s->label = message->label;
      *readyToSend = Pin(0);
    }
  }
  INLINE bool step() {
    s->phase = (s->phase + 1) % kPhases;
    if (s->standing == kOut) return false;
    if (s->phase == kColour) {
      s->colour = priority();
      *readyToSend = Pin(0);
    } else if (s->phase == kSearch) {
      if (s->colour == priority()) join();
    } else if (s->standing == kMember) {
      if (s->phase == kName) *readyToSend = Pin(0);
      if (s->phase == kLeave) leave();
    }
    return true;
  }
  INLINE bool finish(ComponentResult* result) {
    result->id = s->id;
    result->value = s->label;
    return true;
  }
};

struct Components : polyloom::Program {
  using Modes =
      polyloom::Modes<polyloom::Mode<"weak", HashMinVertex>, polyloom::Mode<"strong", StrongVertex>>;
  static constexpr const char* purpose = "Connected components, weak (directions do not matter) or strong.";
  static constexpr polyloom::Edges edges = polyloom::Edges::both_ways;
  static constexpr bool largest_first = false;
  static constexpr bool values_are_vertices = true;

#if POLYLOOM_HOST
  using Strong = polyloom::apps::GraphOf<StrongVertex>;
  /// Loops are left out: they lead nowhere.
  static void connect(Strong& graph, const Input& input) {
    graph.reserveEdges(2 * input.edges.size());
    for (const auto& edge : input.edges) {
      if (edge.from == edge.to) continue;
      graph.addEdge(edge.from, 0, edge.to);
      graph.addEdge(edge.to, 1, edge.from);
    }
  }
  static void prepare(Strong& graph, const Options&, const Input& input, uint32_t) {
    for (const auto& edge : input.edges) {
      if (edge.from == edge.to) continue;
      ++graph.devices[edge.from]->state.ways[0];
      ++graph.devices[edge.to]->state.ways[1];
    }
  }
  static void report(const Options&, const Input&, std::span<const ComponentResult> results,
                     Outcome& outcome) {
    double components = 0;
    for (const ComponentResult& result : results) components += result.value == result.id;
    outcome.facts = {{"components", components}};
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    verify_vertices(options, input, outcome,
                    options.mode == "strong" ? polyloom::apps::reference_strong_components
                                             : polyloom::apps::reference_components);
  }
#endif
};

POLYLOOM_PROGRAM(Components)
