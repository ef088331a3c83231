// SPDX-License-Identifier: Apache-2.0
// Triangles at every vertex of an undirected graph. Rounds over batches of 448 vertices, a bit each, of two
// supersteps: the batch's vertices tell their neighbours who they are, so that every vertex knows the set M
// of its neighbours in the batch; then it sends M to its neighbours, and w finds in |M(v) & M(w)| the
// triangles with v and one of the batch. Over all rounds w counts each of its triangles twice. Who has
// nothing to say sends nothing, so that a round costs where its batch is, and neighbours stand in the same
// batches.
#include <polyloom/count_bits.h>
#include <polyloom/program.h>

inline constexpr uint32_t kWords = 14;
inline constexpr uint32_t kBatch = 32 * kWords;
inline constexpr uint32_t kNoSource = 0xffffffff;

struct TriangleState {
  uint64_t twice;  ///< triangles so far, each counted two times
  uint32_t id;
  uint32_t source;        ///< number among the vertices that are in batches, or kNoSource
  uint32_t rounds;        ///< in all
  uint32_t round;         ///< this one
  uint32_t reporting;     ///< the second superstep of a round: sets are on their way
  uint32_t near[kWords];  ///< neighbours in this round's batch
};

struct TriangleResult {
  uint64_t value;
  uint32_t id;
};

struct TriangleMessage {
  uint32_t members[kWords];
};

struct TriangleVertex : PDevice<TriangleState, None, TriangleMessage> {
  static constexpr bool recvNeverSends = true;

  INLINE void speak_if_in_batch() { *readyToSend = s->source - s->round * kBatch < kBatch ? Pin(0) : No; }

  INLINE void init() { speak_if_in_batch(); }
  INLINE void send(TriangleMessage* message) {
    for (uint32_t i = 0; i < kWords; ++i) message->members[i] = s->reporting ? s->near[i] : 0;
    const uint32_t own = s->source - s->round * kBatch;
    if (!s->reporting) message->members[own / 32] = 1u << (own % 32);
    *readyToSend = No;
  }
  INLINE void recv(TriangleMessage* message, None*) {
    if (s->reporting) {
      uint32_t common = 0;
      for (uint32_t i = 0; i < kWords; ++i) common += count_bits(message->members[i] & s->near[i]);
      s->twice += common;
    } else {
      for (uint32_t i = 0; i < kWords; ++i) s->near[i] |= message->members[i];
    }
  }
  INLINE bool step() {
    if (s->round == s->rounds) return false;
    if (!s->reporting) {
      uint32_t any = 0;
      for (uint32_t i = 0; i < kWords; ++i) any |= s->near[i];
      s->reporting = 1;
      if (any != 0) *readyToSend = Pin(0);
    } else {
      for (uint32_t i = 0; i < kWords; ++i) s->near[i] = 0;
      s->reporting = 0;
      s->round++;
      speak_if_in_batch();
    }
    return true;
  }
  INLINE bool finish(TriangleResult* result) {
    result->value = s->twice >> 1;
    result->id = s->id;
    return true;
  }
};

struct Triangles : polyloom::Program {
  using Vertex = TriangleVertex;
  static constexpr const char* purpose = "Triangles at every vertex of an undirected graph.";
  static constexpr polyloom::Edges edges = polyloom::Edges::undirected;
  static constexpr bool states_in_dram = true;

#if POLYLOOM_HOST
  /// The vertices with two neighbours or more in breadth-first order, which keeps neighbours near: a set that
  /// has many members costs no more than one that has few.
  static std::vector<uint32_t> sources(const Input& input) {
    std::vector<uint64_t> begin(input.vertices + 1ull, 0);
    for (const auto& edge : input.edges) ++begin[edge.from + 1ull];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<uint32_t> to(input.edges.size());
    std::vector<uint64_t> next(begin.begin(), begin.end() - 1);
    for (const auto& edge : input.edges) to[next[edge.from]++] = edge.to;
    std::vector<uint32_t> order, found;
    std::vector<bool> seen(input.vertices, false);
    order.reserve(input.vertices);
    for (uint32_t first = 0; first < input.vertices; ++first) {
      if (seen[first]) continue;
      seen[first] = true;
      order.push_back(first);
      for (std::size_t head = order.size() - 1; head < order.size(); ++head) {
        for (uint64_t i = begin[order[head]]; i < begin[order[head] + 1ull]; ++i) {
          if (!seen[to[i]]) order.push_back(to[i]);
          seen[to[i]] = true;
        }
      }
    }
    std::erase_if(order, [&](uint32_t v) { return begin[v + 1ull] - begin[v] < 2; });
    return order;
  }
  static void prepare(polyloom::apps::GraphOf<TriangleVertex>& graph, const Options&, const Input& input,
                      uint32_t) {
    const std::vector<uint32_t> batches = sources(input);
    for (uint32_t v = 0; v < input.vertices; ++v) {
      graph.devices[v]->state.source = kNoSource;
      graph.devices[v]->state.rounds = static_cast<uint32_t>((batches.size() + kBatch - 1) / kBatch);
    }
    for (uint32_t i = 0; i < batches.size(); ++i) graph.devices[batches[i]]->state.source = i;
  }
  static void report(const Options&, const Input&, std::span<const TriangleResult>, Outcome& outcome) {
    const double corners = std::accumulate(outcome.values.begin(), outcome.values.end(), 0.0);
    outcome.facts = {{"triangles", corners / 3}};
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    verify_exactly(options, input, outcome, polyloom::apps::reference_triangles);
  }
#endif
};

POLYLOOM_PROGRAM(Triangles)
