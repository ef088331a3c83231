// SPDX-License-Identifier: Apache-2.0
// Average shortest path by multi-source breadth-first search: 448 searches in a run, one bit each; a
// superstep is one level. A vertex sends the searches that reached it in this level. Source: Multicast paper,
// section VI.
#include <polyloom/count_bits.h>
#include <polyloom/program.h>

inline constexpr uint32_t kAspWords = 14;
inline constexpr uint32_t kAspSources = 32 * kAspWords;
inline constexpr uint32_t kNoSource = 0xffffffff;

struct AspState {
  uint32_t id;
  uint32_t source;            ///< number of the search that starts here, or kNoSource
  uint32_t sum;               ///< of the distances from all sources that reach this vertex
  uint32_t reached;           ///< how many do
  uint32_t level;             ///< supersteps so far (PDevice::time has only 16 bits)
  uint32_t words;             ///< that the searches fill; what lies behind is 0
  uint32_t seen[kAspWords];   ///< searches that have reached this vertex
  uint32_t fresh[kAspWords];  ///< those that did in this level, to be sent
  uint32_t heard[kAspWords];  ///< those that neighbours sent in this level
};

struct AspResult {
  uint64_t value;    ///< sum of the distances from all sources that reach this vertex
  uint32_t reached;  ///< how many do
  uint32_t id;
};

struct AspMessage {
  uint32_t fresh[kAspWords];
};

struct AspVertex : PDevice<AspState, None, AspMessage> {
  typedef POr<uint32_t> Combiner;
  static constexpr bool monotone = true;  // who has seen a search needs not hear of it again
  static constexpr bool recvNeverSends = true;
  INLINE void init() {
    *readyToSend = No;
    if (s->source == kNoSource) return;
    s->fresh[s->source / 32] = 1u << (s->source % 32);
    s->seen[s->source / 32] = s->fresh[s->source / 32];
    s->reached = 1;
    *readyToSend = Pin(0);
  }
  INLINE void send(AspMessage* msg) {
    for (uint32_t i = 0; i < kAspWords; ++i) msg->fresh[i] = s->fresh[i];
    *readyToSend = No;
  }
  INLINE void recv(AspMessage* msg, None*) {
    for (uint32_t i = 0; i < s->words; ++i) s->heard[i] |= msg->fresh[i];
  }
  INLINE bool step() {
    uint32_t found = 0;
    s->level++;
    for (uint32_t i = 0; i < s->words; ++i) {
      const uint32_t fresh = s->heard[i] & ~s->seen[i];
      s->heard[i] = 0;
      s->fresh[i] = fresh;
      s->seen[i] |= fresh;
      found += count_bits(fresh);
    }
    if (found == 0) return false;
    s->sum += found * s->level;
    s->reached += found;
    *readyToSend = Pin(0);
    return true;
  }
  INLINE bool finish(AspResult* result) {
    result->id = s->id;
    result->value = s->sum;
    result->reached = s->reached;
    return true;
  }
};

struct Asp : polyloom::Program {
  using Vertex = AspVertex;
  static constexpr const char* purpose =
      "Average shortest path: breadth-first search from the first N vertices at once.";
  static constexpr polyloom::Parameter parameters[] = {
      {"sources", 64, "Search from the first N vertices, or from all (default 64, or all of fewer)", 1,
       4294967295.0, true, "all"}};
  static constexpr bool states_in_dram = true;

  static uint32_t sources(double wanted, uint32_t vertices) {
    return wanted < vertices ? static_cast<uint32_t>(wanted) : vertices;
  }
  static void start(AspState& state, const polyloom::Start& vertex) {
    const uint32_t count = sources(vertex.parameter("sources"), vertex.vertices);
    const uint32_t first = vertex.run * kAspSources, left = count - first;
    const uint32_t searches = left < kAspSources ? left : kAspSources, search = vertex.vertex - first;
    state.source = search < searches ? search : kNoSource;
    state.words = (searches + 31) / 32;
  }

#if POLYLOOM_HOST
  static bool another_run(const Options& options, uint32_t runs, std::span<const AspResult> latest,
                          std::span<AspResult> results) {
    for (std::size_t v = 0; v < results.size(); ++v) {
      results[v].id = latest[v].id;
      results[v].value += latest[v].value;
      results[v].reached += latest[v].reached;
    }
    const auto vertices = static_cast<uint32_t>(results.size());
    return runs * uint64_t{kAspSources} < sources(options.parameter("sources"), vertices);
  }
  static void check(const Options& options, const Input& input) {
    const double wanted = options.parameter("sources");
    if (options.given.contains("sources") && wanted > input.vertices && std::isfinite(wanted)) {
      throw polyloom::UserError("--sources " + std::to_string(static_cast<uint32_t>(wanted)) +
                                ": the graph has " + std::to_string(input.vertices) +
                                " vertices; give at most as many");
    }
  }
  static void report(const Options& options, const Input& input, std::span<const AspResult> results,
                     Outcome& outcome) {
    constexpr double kNotReached = std::numeric_limits<double>::quiet_NaN();
    const uint32_t count = sources(options.parameter("sources"), input.vertices);
    double pairs = 0, sum = 0;  // of a source and another vertex that it reaches
    for (const AspResult& result : results) {
      // A source reaches itself, at no distance.
      const uint32_t itself = result.id < count, others = result.reached - itself;
      if (others == 0 && count > itself) outcome.values[result.id] = kNotReached;
      pairs += others;
      sum += static_cast<double>(result.value);
    }
    outcome.facts = {{"sources", count},
                     {"pairs", pairs},
                     {"sum_of_distances", sum},
                     {"average_shortest_path", pairs > 0 ? sum / pairs : kNotReached}};
    const double all = count * (input.vertices - 1.0);
    if (pairs == all) return;
    outcome.notes.push_back(
        std::to_string(static_cast<uint64_t>(all - pairs)) + " of " +
        std::to_string(static_cast<uint64_t>(all)) +
        " pairs of a source and another vertex have no path from the one to the other; sums "
        "and the average leave them out, and a vertex that no other source reaches has the value inf");
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    verify_exactly(options, input, outcome, [&](const NamedGraph& graph) {
      return reference_distance_sums(graph, sources(options.parameter("sources"), input.vertices));
    });
  }
#endif
};

POLYLOOM_PROGRAM(Asp)
