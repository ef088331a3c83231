// SPDX-License-Identifier: Apache-2.0
// PageRank, synchronous: x = (1-d)/n + d * sum over in-edges of x(u)/outdeg(u), K updates from the uniform
// start. Dangling vertices' mass is dropped, or (--dangling uniform) the values are scaled to the sum 1,
// which comes to the same limit as handing it on; parallel edges and loops count. One superstep an update;
// each vertex sends its share once and adds what arrives, in runs: a hub of ten thousand in-edges would else
// lose single precision to rounding. Source: Tinsel paper, section VI.
#include <polyloom/program.h>

#if POLYLOOM_HOST
#include "apps/common/values_file.h"
#endif

/// A run of shares ends when its sum is more than so many times the latest: of like shares it has then lost
/// at most some 2^-18 each.
inline constexpr float kRun = 64;

struct PageRankRun {
  float sum;  ///< shares received in this superstep, since the last run
};

struct PageRankState {
  float score;          ///< x; the host sets 1/n
  float sum;            ///< shares of full runs
  float share;          ///< d / outdeg, 0 for a dangling vertex
  float base;           ///< (1-d)/n
  uint32_t id;          ///< vertex number, for the result
  uint32_t iterations;  ///< updates to make
};

struct PageRankResult {
  uint32_t id;
  float value;
  uint32_t updates;  ///< that were made
};

struct PageRankMessage {
  float share;
};

template <typename S>
struct Synchronous : PDevice<S, None, PageRankMessage, PageRankRun> {
  using Base = PDevice<S, None, PageRankMessage, PageRankRun>;
  using Base::a;
  using Base::readyToSend;
  using Base::s;
  using Base::time;
  typedef PSum<float> Combiner;
  static constexpr bool recvNeverSends = true;
  static constexpr bool sendsEveryStep = true;
  /// Dangling vertices too: a send without receivers costs less than a branch that no predictor foresees.
  INLINE void request() { *readyToSend = Pin(0); }

  INLINE void init() {
    *readyToSend = No;
    if (s->iterations > 0) request();
  }
  INLINE void send(PageRankMessage* msg) {
    msg->share = s->score * s->share;
    *readyToSend = No;
  }
  INLINE bool recv(PageRankMessage* msg, None*) { return add(msg->share); }
  INLINE bool add(float share) {
    const float sum = a->sum + share;
    a->sum = sum;
    return sum > kRun * share;
  }
  INLINE void absorb() {
    s->sum += a->sum;
    a->sum = 0;
  }
  INLINE bool step() {
    if (time >= s->iterations) return false;
    absorb();
    s->score = s->base + s->sum;
    s->sum = 0;
    if (time + 1u == s->iterations) return false;
    request();
    return true;
  }
  INLINE bool finish(PageRankResult* result) {
    result->id = s->id;
    result->value = s->score;
    result->updates = time < s->iterations ? time : s->iterations;
    return true;
  }
};

struct PageRankVertex : Synchronous<PageRankState> {};

/// The same, until all changes are small.
struct TolerantState {
  float score, sum, share, base;
  uint32_t id, iterations;
  float tolerance;  ///< who changes by less does not ask for a further update
};

struct TolerantVertex : Synchronous<TolerantState> {
  /// All send once more at the end, since no vertex knows what the others request.
  INLINE bool step() {
    const float before = s->score;
    if (!Synchronous::step()) return false;
    const float change = s->score - before;
    return change >= s->tolerance || -change >= s->tolerance;
  }
};

/// The same with weights, also to a tolerance: a vertex's shares are as its out-edges' weights.
struct WeightedVertex : TolerantVertex {
  typedef float Edge;
  static INLINE void along(PageRankMessage& message, float weight) { message.share *= weight; }
  static INLINE float neutralLabel() { return 1; }
  INLINE bool recv(PageRankMessage* msg, const float* weight) { return add(msg->share * *weight); }
};

// PageRank, globally asynchronous and locally synchronous: a vertex makes its next update as soon as it has
// heard from all its neighbours, without barriers. Neighbours stay within one update of each other where
// edges lead both ways, and back edges of weight 0 see to that on all other graphs; so two sums and two
// counts are enough. Source: Tinsel paper, section VI (figure 12, GALS).
struct GalsSums {
  float sum[2];      ///< by parity of the update
  uint32_t left[2];  ///< messages that are to come, by parity
};

struct GalsState {
  float score;
  uint32_t expected;  ///< in-edges, and back edges
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

template <typename S, typename E>
struct Gals : PDevice<S, E, GalsMessage, GalsSums> {
  using Base = PDevice<S, E, GalsMessage, GalsSums>;
  using Base::a;
  using Base::readyToSend;
  using Base::s;
  /// Makes the updates that are possible now, one for each complete set of messages.
  INLINE void absorb() {
    while (s->done < s->sent && a->left[s->done & 1] == 0) {
      const uint32_t parity = s->done & 1;
      s->score = s->base + a->sum[parity];
      a->sum[parity] = 0;
      a->left[parity] = s->expected;
      s->done++;
      request();
    }
  }
  /// A vertex without neighbours waits for none: it makes all updates at once.
  INLINE void request() { *readyToSend = s->done < s->iterations && s->expected > 0 ? Pin(0) : No; }

  INLINE void init() {
    *readyToSend = No;
    a->left[0] = a->left[1] = s->expected;
    if (s->expected == 0 && s->iterations > 0) s->score = s->base;
    request();
  }
  INLINE void send(GalsMessage* msg) {
    msg->share = s->score * s->share;
    msg->update = s->sent;
    *readyToSend = No;
    s->sent++;
    absorb();
  }
  static INLINE float along(float share, const float* weight) { return share * *weight; }
  static INLINE float along(float share, const None*) { return share; }
  INLINE bool recv(GalsMessage* msg, const E* label) {
    const uint32_t parity = msg->update & 1;
    a->sum[parity] += along(msg->share, label);
    return --a->left[parity] == 0;
  }
  INLINE bool step() { return false; }
  INLINE bool finish(PageRankResult* result) {
    result->id = s->id;
    result->value = s->score;
    result->updates = s->iterations;
    return true;
  }
};

/// The label is the weight on edges of the graph and 0 on back edges.
struct GalsVertex : Gals<GalsState, float> {};

/// Each edge has its reverse.
struct MutualState : GalsState {};
struct MutualVertex : Gals<MutualState, None> {};

struct PageRank : polyloom::Program {
  using Modes = polyloom::Modes<polyloom::Mode<"sync", PageRankVertex>, polyloom::Mode<"gals", GalsVertex>,
                                polyloom::Variant<"tolerant", TolerantVertex>,
                                polyloom::Variant<"weighted", WeightedVertex>,
                                polyloom::Variant<"mutual", MutualVertex>>;
  static constexpr const char* purpose = "PageRank of a directed graph.";
  static constexpr bool takes_fractions = true;
  static constexpr polyloom::Parameter parameters[] = {
      {"iterations", 20,
       "Updates from the uniform start; the most of them with --tolerance, by default 100 then, more for a "
       "damping above 0.85",
       0, 65535},
      {"damping", 0.85, "Damping factor d", 0, 1, false},
      {"tolerance", 0, "End when every value changes by less in an update", 0, 1, false}};

#if POLYLOOM_HOST
  static constexpr const char* kDangling[] = {"drop", "uniform"};
  static constexpr polyloom::Text texts[] = {
      {"dangling", "drop",
       "What becomes of what vertices without out-edges hold: lost, or handed on to all (the "
       "limit of many updates; by default of as many as --tolerance makes)",
       kDangling},
      {"personalize",
       "",
       "File of lines NAME,VALUE: where the walk begins anew, in proportion to the values",
       {},
       polyloom::File::read}};
  static constexpr polyloom::Flag flags[] = {{"weighted", "Hand on in proportion to the weights of edges"}};

  static bool uses_weights(const Options& options) { return options.given.contains("weighted"); }
  static std::string variant(const Options& options, const Input& input) {
    if (options.mode == "gals") return !uses_weights(options) && input.is_mutual() ? "mutual" : options.mode;
    return uses_weights(options)                ? "weighted"
           : options.parameter("tolerance") > 0 ? "tolerant"
                                                : options.mode;
  }
  static bool hands_on(const Options& options) { return options.text("dangling") == "uniform"; }
  static uint32_t most_updates(const Options& options) {
    const bool to_the_limit = options.parameter("tolerance") > 0 || hands_on(options);
    // 100 updates leave 0.85^100 of the start; a larger factor forgets more slowly.
    const double damping = options.parameter("damping");
    const double enough =
        damping < 1 ? std::ceil(100 * (std::log(0.85) / std::log(std::max(damping, 0.85)))) : 65535;
    return !options.given.contains("iterations") && to_the_limit
               ? static_cast<uint32_t>(std::min(enough, 65535.0))
               : static_cast<uint32_t>(options.parameter("iterations"));
  }
  static void check(const Options& options, const Input&) {
    const auto refuse = [](const char* why) { throw polyloom::UserError(why); };
    if (options.mode == "gals" && options.given.contains("tolerance"))
      refuse("--tolerance: --mode gals has no supersteps after which all could agree to end; leave one out");
    if (options.max_weight > 0 && !uses_weights(options))
      refuse("--max-weight: weights count with --weighted alone; give that too, or leave it out");
  }
  /// Where the walk begins anew: shares of 1, by vertex.
  template <typename Names>
  static std::vector<double> teleport(const Options& options, const Names& names, std::size_t vertices) {
    const std::string file = options.text("personalize");
    if (file.empty()) return std::vector<double>(vertices, 1.0 / static_cast<double>(vertices));
    std::map<std::string, double> values = polyloom::apps::read_values(file);
    std::vector<double> shares(vertices, 0);
    double sum = 0;
    const auto refuse = [&](const std::string& why) {
      throw polyloom::UserError("--personalize " + file + ": " + why);
    };
    for (std::size_t v = 0; v < vertices; ++v) {
      const auto at = values.find(names[static_cast<uint32_t>(v)]);
      if (at == values.end()) continue;
      if (!(at->second >= 0 && std::isfinite(at->second)))
        refuse(at->first + " has a value below 0, or none");
      sum += shares[v] = at->second;
      values.erase(at);
    }
    if (!values.empty()) refuse("the graph has no vertex " + values.begin()->first);
    if (!(sum > 0)) refuse("some value must be greater than 0");
    for (double& share : shares) share /= sum;
    return shares;
  }
  /// What the states of all forms have in common.
  template <typename Graph>
  static void prepare(Graph& graph, const Options& options, const Input& input, uint32_t) {
    const double n = input.vertices, damping = options.parameter("damping");
    const std::vector<double> anew = teleport(options, input.names, input.vertices);
    const uint32_t updates = most_updates(options);
    // Of all out-edges of a vertex; without weights they are counted already, but for --mode gals, which has
    // more.
    const bool counted =
        !uses_weights(options) && !std::is_same_v<Graph, polyloom::apps::GraphOf<GalsVertex>>;
    std::vector<double> weights(counted ? 0 : input.vertices, 0);
    for (std::size_t e = 0; !counted && e < input.edges.size(); ++e)
      weights[input.edges[e].from] += input.weight(e);
    for (uint32_t v = 0; v < input.vertices; ++v) {
      auto& state = graph.devices[v]->state;
      const double given = counted ? graph.fanOut(v) : weights[v];
      state.iterations = updates;
      state.score = static_cast<float>(1 / n);
      state.base = static_cast<float>((1 - damping) * anew[v]);
      state.share = given == 0 ? 0.0f : static_cast<float>(damping / given);
      if constexpr (requires { state.tolerance; })
        state.tolerance = static_cast<float>(options.parameter("tolerance"));
    }
  }
  static void start(GalsState& state, const polyloom::Start& vertex) {
    state.expected = vertex.in_edges + vertex.out_edges;  // each neighbour has an edge back
  }
  static void start(MutualState& state, const polyloom::Start& vertex) { state.expected = vertex.in_edges; }
  static void connect(polyloom::apps::GraphOf<GalsVertex>& graph, const Input& input) {
    graph.reserveEdges(2 * input.edges.size());
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
      graph.addLabelledEdge(static_cast<float>(input.weight(e)), input.edges[e].from, 0, input.edges[e].to);
      graph.addLabelledEdge(0.0f, input.edges[e].to, 0, input.edges[e].from);
    }
  }
  static void report(const Options& options, const Input& input, std::span<const PageRankResult> results,
                     Outcome& outcome) {
    std::vector<bool> dangles(input.vertices, true);
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
      if (input.weight(e) > 0) dangles[input.edges[e].from] = false;
    }
    const auto dangling = std::count(dangles.begin(), dangles.end(), true);
    double sum = std::accumulate(outcome.values.begin(), outcome.values.end(), 0.0);
    if (hands_on(options) && sum > 0) {
      for (double& value : outcome.values) value /= sum;
      sum = 1;
    }
    outcome.facts = {{"iterations", results[0].updates},
                     {"damping", options.parameter("damping")},
                     {"sum_of_values", sum},
                     {"dangling_vertices", dangling}};
    if (options.parameter("tolerance") > 0 && results[0].updates == most_updates(options))
      outcome.notes.push_back(
          "after " + std::to_string(results[0].updates) +
          " updates some values may still change by --tolerance or more; --iterations allows further ones");
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.6g", sum);
    if (dangling == 0 || std::string_view(shown) == "1") return;
    outcome.notes.push_back("vertices without an out-edge: " + std::to_string(dangling) +
                            "; what they hold is not handed on, so the values sum to " + shown + ", not 1");
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    const auto updates = static_cast<unsigned>(std::get<double>(outcome.facts.front().value));
    // Single precision, and sums in another order: the bounds of the project for floats.
    verify_closely(options, input, outcome, 1e-5, 1e-4, [&](const NamedGraph& graph) {
      return reference_pagerank(graph, {.iterations = updates,
                                        .damping = options.parameter("damping"),
                                        .teleport = teleport(options, graph.names, graph.names.size()),
                                        .weighted = uses_weights(options),
                                        .scaled = hands_on(options)});
    });
  }
#endif
};

POLYLOOM_PROGRAM(PageRank)
