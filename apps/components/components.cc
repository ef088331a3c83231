// SPDX-License-Identifier: Apache-2.0
// Connected components by minimum label (HashMin): every vertex ends with the smallest vertex number of its
// component. Edges count both ways. Source: Tinsel paper,
// section VI.
#include <polyloom/program.h>

struct HashMinState {
  uint32_t id;
  uint32_t label;
};

struct HashMinResult {
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
  INLINE bool finish(HashMinResult* result) {
    result->id = s->id;
    result->value = s->label;
    return true;
  }
};

struct Components : polyloom::Program {
  using Vertex = HashMinVertex;
  static constexpr const char* purpose = "Connected components; directions of edges do not matter.";
  static constexpr polyloom::Edges edges = polyloom::Edges::both_ways;
  static constexpr bool largest_first = false;
  static constexpr bool values_are_vertices = true;

#if POLYLOOM_HOST
  static void report(const Options&, const Input&, std::span<const HashMinResult> results, Answer& answer) {
    double components = 0;
    for (const HashMinResult& result : results) components += result.value == result.id;
    answer.facts = {{"components", components}};
  }
  static void verify(const Options& options, const Input& input, Answer& answer) {
    verify_vertices(options, input, answer, polyloom::apps::reference_components);
  }
#endif
};

POLYLOOM_PROGRAM(Components)
