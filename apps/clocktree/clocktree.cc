// SPDX-License-Identifier: Apache-2.0
// Clock tree: the root's tick goes down a tree to the leaves, their acknowledgements come back up, and when
// the root has heard of all it ticks again. No supersteps: the time of a tick is twice the tree's depth in
// messages. Source: docs/sources/tinsel.md, 6 (clocktree-async).
#include <polyloom/program.h>

/// Pins, and the edges on them.
enum Way : uint32_t { kDown, kUp };

struct TreeState {
  uint32_t id;
  uint32_t children;
  uint32_t missing;  ///< children that have not acknowledged the tick
  uint32_t ticks;    ///< heard, or sent by the root
  uint32_t wanted;   ///< ticks, of the root; others have 0
  uint32_t began;    ///< cycle of the root's first tick
  uint32_t cycles;   ///< from then to the last acknowledgement
};

struct TreeResult {
  uint32_t id;
  uint32_t value;  ///< ticks that all below have acknowledged
  uint32_t cycles;
};

struct TreeMessage {
  uint32_t way;
};

struct TreeVertex : PDevice<TreeState, None, TreeMessage> {
  static constexpr uint32_t numPins = 2;

  INLINE bool is_root() const { return s->id == 0; }
  INLINE void tick() {
    s->ticks++;
    s->missing = s->children;
    *readyToSend = s->children > 0 ? Pin(kDown) : Pin(kUp);
  }
  INLINE void init() {
    *readyToSend = No;
    if (!is_root() || s->wanted == 0) return;
    s->began = tinselCycleCount();
    if (s->children > 0) {
      tick();
    } else {
      s->ticks = s->wanted;
    }
  }
  INLINE void send(TreeMessage* msg) {
    msg->way = *readyToSend == Pin(kDown) ? kDown : kUp;
    *readyToSend = No;
  }
  INLINE void recv(TreeMessage* msg, None*) {
    if (msg->way == kDown) {
      tick();
    } else if (--s->missing == 0) {
      if (!is_root()) {
        *readyToSend = Pin(kUp);
      } else if (s->ticks < s->wanted) {
        tick();
      } else {
        s->cycles = tinselCycleCount() - s->began;
      }
    }
  }
  INLINE bool step() { return false; }
  INLINE bool finish(TreeResult* result) {
    result->id = s->id;
    result->value = s->missing == 0 ? s->ticks : s->ticks - 1;
    result->cycles = s->cycles;
    return true;
  }
};

struct ClockTree : polyloom::Program {
  using Vertex = TreeVertex;
  static constexpr const char* purpose = "Ticks that go down a tree and are acknowledged.";
  static constexpr polyloom::Parameter parameters[] = {
      {"depth", 5, "Levels below the root", 0, 31},
      {"fanout", 3, "Children of a vertex that is no leaf", 1, 1u << 24},
      {"ticks", 1, "How often the root ticks", 0}};

#if POLYLOOM_HOST
  static Input make(const Options& options) {
    const double fanout = options.parameter("fanout");
    double vertices = 1, level = 1;
    for (int i = 0; i < options.parameter("depth"); ++i) vertices += level *= fanout;
    char size[64];
    std::snprintf(size, sizeof size, "a tree of %.6g vertices", vertices);
    if (vertices > 0xfffffffe)
      throw polyloom::UserError("--depth, --fanout: " + std::string(size) +
                                "; at most 4294967294 are possible");
    polyloom::polite::require_graph_memory(vertices, 2 * vertices, size);
    Input input;
    input.vertices = static_cast<uint32_t>(vertices);
    std::vector<polyloom::polite::Edge> edges;
    edges.reserve(input.vertices - 1);
    // Numbered level by level, so that the parent of v is (v - 1) / fanout.
    for (uint32_t v = 1; v < input.vertices; ++v)
      edges.push_back({(v - 1) / static_cast<uint32_t>(fanout), v});
    input.edges = std::move(edges);
    input.description = size;
    input.names = polyloom::polite::VertexNames::consecutive(input.vertices);
    return input;
  }
  static void start(TreeState& state, const polyloom::Start& vertex) {
    state.children = vertex.out_edges;
    state.wanted = vertex.vertex == 0 ? static_cast<uint32_t>(vertex.parameter("ticks")) : 0;
  }
  static void connect(polyloom::apps::GraphOf<TreeVertex>& graph, const Input& input) {
    graph.reserveEdges(2 * input.edges.size());
    for (const auto& edge : input.edges) {
      graph.addEdge(edge.from, kDown, edge.to);
      graph.addEdge(edge.to, kUp, edge.from);
    }
  }
  static void report(const Options& options, const Input&, std::span<const TreeResult> results,
                     Outcome& outcome) {
    const double ticks = options.parameter("ticks"), cycles = results[0].cycles;
    outcome.facts = {
        {"ticks", ticks}, {"depth", options.parameter("depth")}, {"fanout", options.parameter("fanout")}};
    if (ticks > 0 && outcome.mapping) outcome.facts.emplace_back("cycles_a_tick", cycles / ticks);
  }
  /// A tree of that shape, all of which has acknowledged all ticks.
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    const double ticks = options.parameter("ticks"), fanout = options.parameter("fanout");
    const double depth = options.parameter("depth");
    const double shape = fanout == 1 ? depth + 1 : (std::pow(fanout, depth + 1) - 1) / (fanout - 1);
    polyloom::apps::Verification& check = outcome.verification;
    check.done = true;
    for (const double value : outcome.values) {
      check.l1 += std::abs(value - ticks);
      check.worst = std::max(check.worst, std::abs(value - ticks));
    }
    check.ok = check.l1 == 0 && shape == input.vertices;
    check.criterion = "every vertex of the tree has acknowledged every tick";
    check.covers = "the ticks, and the number of vertices by its closed form";
  }
#endif
};

POLYLOOM_PROGRAM(ClockTree)
