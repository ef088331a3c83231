// SPDX-License-Identifier: Apache-2.0
// PageRank, synchronous: x = (1-d)/n + d * sum over in-edges of x(u)/outdeg(u), K updates from the uniform
// start. Dangling vertices' mass is dropped; parallel edges and loops count. One superstep an update; each
// vertex sends its share once and adds what arrives, in runs of kRun: a hub of ten thousand in-edges would
// else lose single precision to rounding. Source: Tinsel paper, section VI.
#include <polyloom/program.h>

/// Shares added up before they go into the sum of sums.
inline constexpr uint32_t kRun = 64;

struct PageRankState {
  float score;          ///< x; the host sets 1/n
  float run;            ///< shares received in this superstep, since the last kRun
  float sum;            ///< those before
  uint32_t left;        ///< shares until the run is full
  float share;          ///< d / outdeg, 0 for a dangling vertex
  float base;           ///< (1-d)/n
  uint32_t id;          ///< vertex number, for the answer
  uint32_t iterations;  ///< updates to make
};

struct PageRankResult {
  uint32_t id;
  float value;
};

struct PageRankMessage {
  float share;
};

struct PageRankVertex : PDevice<PageRankState, None, PageRankMessage> {
  typedef PSum<float> Combiner;
  static constexpr bool recvNeverSends = true;
  static constexpr bool sendsEveryStep = true;
  /// Dangling vertices too: sending to nobody costs less than a branch that nobody can foresee.
  INLINE void request() { *readyToSend = Pin(0); }

  INLINE void init() {
    *readyToSend = No;
    s->left = kRun;
    if (s->iterations > 0) request();
  }
  INLINE void send(PageRankMessage* msg) {
    msg->share = s->score * s->share;
    *readyToSend = No;
  }
  INLINE void recv(PageRankMessage* msg, None*) {
    s->run += msg->share;
    if (--s->left == 0) end_run();
  }
  INLINE void end_run() {
    s->sum += s->run;
    s->run = 0;
    s->left = kRun;
  }
  INLINE bool step() {
    if (time >= s->iterations) return false;
    end_run();
    s->score = s->base + s->sum;
    s->sum = 0;
    if (time + 1u == s->iterations) return false;
    request();
    return true;
  }
  INLINE bool finish(PageRankResult* result) {
    result->id = s->id;
    result->value = s->score;
    return true;
  }
};

// PageRank, globally asynchronous and locally synchronous: a vertex makes its next update as soon as it has
// heard from all its neighbours, without barriers. Back edges of weight 0 keep neighbours within one update
// of each other, so two sums and two counts are enough on any directed graph. Source: Tinsel paper, section
// VI (figure 12, GALS).
struct GalsState {
  float score;
  float sum[2];       ///< by parity of the update
  uint32_t heard[2];  ///< messages received, by parity
  uint32_t expected;  ///< in-edges, back edges included
  float share;        ///< d / outdeg, 0 for a dangling vertex
  float base;         ///< (1-d)/n
  uint32_t id;
  uint32_t iterations;  ///< updates to make
  uint32_t done;        ///< updates made
  uint32_t sent;        ///< updates whose share has been sent
};

struct GalsMessage {
  float share;
  uint32_t update;  ///< the update that this share is for
};

/// The label is 1 on edges of the graph and 0 on back edges.
struct GalsVertex : PDevice<GalsState, float, GalsMessage> {
  /// Makes the updates that are possible now, one for each complete set of messages.
  INLINE void advance() {
    while (s->done < s->sent && s->heard[s->done & 1] == s->expected) {
      const uint32_t parity = s->done & 1;
      s->score = s->base + s->sum[parity];
      s->sum[parity] = 0;
      s->heard[parity] = 0;
      s->done++;
      request();
    }
  }
  /// A vertex without neighbours has nobody to wait for: it makes all updates at once.
  INLINE void request() { *readyToSend = s->done < s->iterations && s->expected > 0 ? Pin(0) : No; }

  INLINE void init() {
    *readyToSend = No;
    if (s->expected == 0 && s->iterations > 0) s->score = s->base;
    request();
  }
  INLINE void send(GalsMessage* msg) {
    msg->share = s->score * s->share;
    msg->update = s->sent;
    *readyToSend = No;
    s->sent++;
    advance();
  }
  INLINE void recv(GalsMessage* msg, const float* weight) {
    const uint32_t parity = msg->update & 1;
    s->sum[parity] += msg->share * *weight;
    s->heard[parity]++;
    advance();
  }
  INLINE bool step() { return false; }
  INLINE bool finish(PageRankResult* result) {
    result->id = s->id;
    result->value = s->score;
    return true;
  }
};

struct PageRank : polyloom::Program {
  using Modes = polyloom::Modes<polyloom::Mode<"sync", PageRankVertex>, polyloom::Mode<"gals", GalsVertex>>;
  static constexpr const char* purpose = "PageRank of a directed graph.";
  static constexpr polyloom::Parameter parameters[] = {
      {"iterations", 20, "Updates from the uniform start", 0, 65535},
      {"damping", 0.85, "Damping factor d", 0, 1, false}};

  /// What both forms' states have in common.
  template <typename State>
  static void start_score(State& state, const polyloom::Start& vertex) {
    const double n = vertex.vertices, damping = vertex.parameter("damping");
    state.iterations = static_cast<uint32_t>(vertex.parameter("iterations"));
    state.score = static_cast<float>(1 / n);
    state.base = static_cast<float>((1 - damping) / n);
    state.share = vertex.out_edges == 0 ? 0.0f : static_cast<float>(damping / vertex.out_edges);
  }
  static void start(PageRankState& state, const polyloom::Start& vertex) { start_score(state, vertex); }
  static void start(GalsState& state, const polyloom::Start& vertex) {
    state.expected = vertex.in_edges + vertex.out_edges;  // each neighbour has an edge back
    start_score(state, vertex);
  }

#if POLYLOOM_HOST
  static void connect(polyloom::apps::GraphOf<GalsVertex>& graph, const Input& input) {
    graph.reserveEdges(2 * input.edges.size());
    for (const auto& edge : input.edges) {
      graph.addLabelledEdge(1.0f, edge.from, 0, edge.to);
      graph.addLabelledEdge(0.0f, edge.to, 0, edge.from);
    }
  }
  static void report(const Options& options, const Input& input, std::span<const PageRankResult>,
                     Answer& answer) {
    std::vector<bool> dangles(input.vertices, true);
    for (const auto& edge : input.edges) dangles[edge.from] = false;
    const auto dangling = std::count(dangles.begin(), dangles.end(), true);
    const double sum = std::accumulate(answer.values.begin(), answer.values.end(), 0.0);
    answer.facts = {{"iterations", options.parameter("iterations")},
                    {"damping", options.parameter("damping")},
                    {"sum_of_values", sum},
                    {"dangling_vertices", dangling}};
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.6g", sum);
    if (dangling == 0 || std::string_view(shown) == "1") return;
    answer.notes.push_back("vertices without an out-edge: " + std::to_string(dangling) +
                           "; what they hold is not handed on, so the values sum to " + shown + ", not 1");
  }
  static void verify(const Options& options, const Input& input, Answer& answer) {
    // Single precision, and sums in another order: the bounds of the project for floats.
    verify_closely(options, input, answer, 1e-5, 1e-4, [&](const NamedGraph& graph) {
      return reference_pagerank(graph, static_cast<unsigned>(options.parameter("iterations")),
                                options.parameter("damping"));
    });
  }
#endif
};

POLYLOOM_PROGRAM(PageRank)
