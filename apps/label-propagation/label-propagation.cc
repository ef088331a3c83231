// SPDX-License-Identifier: Apache-2.0
// Communities by label propagation, as LDBC Graphalytics defines it (CDLP): every vertex begins with a label
// of its own; in an iteration all take at once the label that most of their neighbours have, the smallest of
// several. Edges are heard both ways, so that who is a neighbour both ways counts twice.
//
// A vertex counts labels in a table of kTable rows. Where a vertex has more neighbours, an iteration is made
// in several passes: labels fall into classes, and in a pass those of one class are told. A table that
// overflows nevertheless is noticed, and the program runs again with more passes.
#include <polyloom/program.h>

inline constexpr uint32_t kTable = 32;

struct LabelState {
  uint32_t id;
  uint32_t label;
  uint32_t iterations;  ///< left to do
  uint32_t passes;      ///< of this iteration
  uint32_t later;       ///< passes of those after the first
  uint32_t pass;
  uint32_t best;  ///< the label that most had in the passes so far, and how many
  uint32_t best_count;
  uint32_t overflowed;  ///< a pass had more labels than rows
  uint32_t rows;        ///< of the table, in use
  uint32_t labels[kTable];
  uint32_t counts[kTable];
};

struct LabelResult {
  uint32_t id;
  uint32_t value;
  uint32_t overflowed;
};

struct LabelMessage {
  uint32_t label;
};

struct LabelVertex : PDevice<LabelState, None, LabelMessage> {
  static constexpr bool recvNeverSends = true;

  /// Labels that stand together, as those of neighbours often do, fall into different classes.
  INLINE void report_if_due() {
    const uint32_t scattered = s->label * 0x9e3779b1u;
    const uint32_t own = static_cast<uint32_t>((static_cast<uint64_t>(scattered) * s->passes) >> 32);
    *readyToSend = own == s->pass ? Pin(0) : No;
  }
  INLINE void init() {
    s->label = s->id;
    *readyToSend = No;
    if (s->iterations > 0) report_if_due();
  }
  INLINE void send(LabelMessage* message) {
    message->label = s->label;
    *readyToSend = No;
  }
  INLINE void recv(LabelMessage* message, None*) {
    uint32_t row = 0;
    while (row < s->rows && s->labels[row] != message->label) row++;
    if (row == kTable) {
      s->overflowed = 1;
      return;
    }
    if (row == s->rows) {
      s->labels[row] = message->label;
      s->counts[row] = 0;
      s->rows++;
    }
    s->counts[row]++;
  }
  INLINE bool step() {
    if (s->iterations == 0) return false;
    for (uint32_t row = 0; row < s->rows; ++row) {
      const uint32_t count = s->counts[row], label = s->labels[row];
      if (count < s->best_count || (count == s->best_count && label > s->best)) continue;
      s->best_count = count;
      s->best = label;
    }
    s->rows = 0;
    if (++s->pass == s->passes) {
      if (s->best_count > 0) s->label = s->best;
      s->best_count = s->pass = 0;
      s->passes = s->later;
      if (--s->iterations == 0) return true;
    }
    report_if_due();
    return true;
  }
  INLINE bool finish(LabelResult* result) {
    result->id = s->id;
    result->value = s->label;
    result->overflowed = s->overflowed;
    return true;
  }
};

struct LabelPropagation : polyloom::Program {
  using Vertex = LabelVertex;
  static constexpr const char* purpose = "Communities by label propagation (LDBC's CDLP).";
  static constexpr polyloom::Parameter parameters[] = {
      {"iterations", 10, "How often all vertices take a new label", 0, 65535}};
  static constexpr polyloom::Edges edges = polyloom::Edges::both_ways;
  static constexpr bool largest_first = false;
  static constexpr bool values_are_vertices = true;
  static constexpr bool states_in_dram = true;

#if POLYLOOM_HOST
  static void prepare(polyloom::apps::GraphOf<LabelVertex>& graph, const Options& options, const Input&,
                      uint32_t run) {
    const uint64_t most = graph.getMaxFanIn();
    // Half a table on average, since classes differ in size. After an iteration, labels are much fewer; if
    // not, the next run takes four times as many passes for them.
    const uint64_t passes = (most <= kTable ? 1 : 1 + 2 * most / kTable) << run;
    const auto bounded = [](uint64_t n) { return static_cast<uint32_t>(std::min<uint64_t>(n, 1u << 31)); };
    for (uint32_t v = 0; v < graph.numDevices; ++v) {
      LabelState& state = graph.devices[v]->state;
      state.iterations = static_cast<uint32_t>(options.parameter("iterations"));
      state.passes = bounded(passes);
      state.later = std::max(1u, bounded(passes >> (run < 4 ? 4 - run : 0)));
    }
  }
  static bool another_run(const Options&, uint32_t, std::span<const LabelResult> latest,
                          std::span<LabelResult> results) {
    std::ranges::copy(latest, results.begin());
    return std::ranges::any_of(latest, [](const LabelResult& result) { return result.overflowed != 0; });
  }
  static void report(const Options& options, const Input&, std::span<const LabelResult> results,
                     Outcome& outcome) {
    std::vector<bool> taken(results.size(), false);
    for (const LabelResult& result : results) taken[result.value] = true;
    outcome.facts = {{"iterations", options.parameter("iterations")},
                     {"communities", std::count(taken.begin(), taken.end(), true)}};
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    verify_vertices(options, input, outcome, [&](const NamedGraph& graph) {
      return polyloom::apps::reference_labels(graph, static_cast<unsigned>(options.parameter("iterations")));
    });
  }
#endif
};

POLYLOOM_PROGRAM(LabelPropagation)
