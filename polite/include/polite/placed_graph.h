// SPDX-License-Identifier: Apache-2.0
// A graph on its way to a machine: placement of vertices, then memory images. The part of PGraph that needs
// no templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "polite/graph_store.h"
#include "polite/machine.h"

namespace polyloom::polite {

/// automatic is metis for graphs up to two million edges, fast above.
enum class Placer { automatic, metis, fast, random, bfs, direct };

/// Which vertices are heard by partial receivers (polite/combiner.h): those that predicted cost says so, all
/// with more in-edges than a partial receiver takes, or none. `off` also keeps the native engine from merging
/// messages.
enum class Combine { automatic, on, off };
/// As command line and environment spell them.
inline constexpr std::pair<const char*, Combine> kCombineNames[] = {
    {"auto", Combine::automatic}, {"on", Combine::on}, {"off", Combine::off}};

/// How pins send: a message to each receiving thread; to each receiving mailbox, with a mask of its threads;
/// by a routing key for a pin that has a receiver on another board, which the routers bring to all of them,
/// and by masks for others; to each receiving thread, with its receiver's name where that is one, copied by
/// routers on other boards; or for each pin what predicted cost says.
enum class Pins { automatic, unicast, local, distributed, direct };
inline constexpr std::pair<const char*, Pins> kPinsNames[] = {{"auto", Pins::automatic},
                                                              {"unicast", Pins::unicast},
                                                              {"local", Pins::local},
                                                              {"distributed", Pins::distributed},
                                                              {"direct", Pins::direct}};

/// How vertices are placed and where tables go. Defaults are POLite's.
struct MapOptions {
  Placer placer = Placer::automatic;  ///< POLITE_PLACER, if set, wins
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< host threads of the mapper; 0 = all; results do not depend on it
  std::uint64_t edges_at_once = 1 << 25;  ///< whose tables are made together; results do not depend on it
  unsigned boards_x = 0, boards_y = 0;    ///< boards to place on; 0 = all (POLITE_BOARDS_X/Y if set)
  bool vertices_in_dram = false;
  bool in_edges_in_dram = true;
  bool out_edges_in_dram = true;
  Combine combine = Combine::automatic;  ///< where the program has a combiner; POLITE_COMBINE, if set, wins
  Pins pins = Pins::automatic;           ///< POLITE_PINS, if set, wins
  bool chatty = false;                   ///< tell on stderr what is being done
};

/// Sizes of what templates hide: the layout of PState<S> and PInEdge<E>.
struct ElementLayout {
  std::size_t pstate_bytes = 0;       ///< sizeof(PState<S>)
  std::size_t state_offset = 0;       ///< of S in it
  std::size_t state_bytes = 0;        ///< sizeof(S)
  std::size_t state_unit = 16;        ///< unit of state offsets in tables
  std::size_t accumulator_bytes = 0;  ///< sizeof(A); 0: there is none
  bool may_be_direct = false;         ///< may_be_direct<DeviceType>()
  std::size_t in_edge_bytes = 2;      ///< sizeof(PInEdge<E>)
  std::size_t label_offset = 0;       ///< of E in it
  unsigned pins = 1;
  std::size_t message_bytes = 16;  ///< sizeof(PMessage<M>)
  std::size_t payload_offset = 2;  ///< of M in it
  // Of programs with a combiner; 0 bytes: there is none.
  std::size_t partial_bytes = 0;              ///< sizeof(PPartial<S, M>)
  std::size_t value_offset = 0;               ///< of M in it
  std::vector<std::byte> identity = {};       ///< its first M
  std::vector<std::byte> neutral_label = {};  ///< label of what partial receivers send
};

/// Combines on its thread what goes to one vertex.
struct Partial {
  std::uint32_t vertex;    ///< for which it combines
  std::uint32_t thread;    ///< dense number
  std::uint32_t to;        ///< target of its out-edge
  std::uint32_t expected;  ///< in-edges
};

/// Where messages go once fan-in is combined. A target below the number of vertices is that vertex; above it
/// they count the partial receivers. Without any, messages go where the graph says, and all is empty.
struct Combining {
  std::vector<Partial> partials;            ///< by thread
  std::vector<std::uint32_t> thread_begin;  ///< threads + 1: rows of `partials`
  std::vector<std::uint64_t>
      out_begin;                      ///< rows of `target`: those of the graph, then one a partial receiver
  std::vector<std::uint32_t> target;  ///< of each out-edge of the graph, then of each partial receiver

  bool empty() const { return partials.empty(); }
  std::uint32_t on_thread(unsigned thread) const {
    return empty() ? 0 : thread_begin[thread + 1] - thread_begin[thread];
  }
};

/// How the messages of a row leave: one to each thread; one to each mailbox; one by a key for other boards
/// and one to each mailbox of the sender's; one by a key; one by a key, of which routers make one for each
/// thread of other boards, and one to each thread of the sender's.
enum class Way : std::uint8_t { threads, masks, key_and_masks, key, key_and_threads };

/// Whether a row that leaves its board in this way has a key.
inline bool has_key(Way way) {
  return way == Way::key || way == Way::key_and_masks || way == Way::key_and_threads;
}

/// Of each row of messages (mapper/routes.h).
struct Sending {
  Pins pins = Pins::local;  ///< that were asked for
  unsigned flits = 1;       ///< of a message
  bool direct = false;   ///< a message to one receiver on one thread carries its in-edge instead of an index
  std::vector<Way> way;  ///< empty: masks for all

  Way of(std::size_t row) const { return way.empty() ? Way::masks : way[row]; }
};

/// Where each vertex runs.
struct Placement {
  Machine machine;
  std::vector<std::uint32_t> thread;        ///< dense thread number of each vertex
  std::vector<std::uint32_t> local;         ///< its number on that thread
  std::vector<std::uint32_t> thread_begin;  ///< threads + 1: rows of `order`
  std::vector<std::uint32_t> order;         ///< vertices by thread, then local number
  Combining combining;
  Sending sending;
};

/// What a board's routers look up.
struct RouterTable {
  std::uint64_t keys = 0, beats = 0;
};

/// Times and sizes of the last map, for benches and reports.
struct MapReport {
  double place_seconds = 0, table_seconds = 0, write_seconds = 0;
  std::uint64_t out_entries = 0;     ///< messages that a send of every vertex on every pin makes
  std::uint64_t in_entries = 0;      ///< slots of all in-edge tables, holes included
  std::uint64_t cut_boards = 0;      ///< edges between different boards
  std::uint64_t cut_tiles = 0;       ///< edges between different tiles
  std::uint64_t bytes = 0;           ///< written to the cluster
  std::uint32_t used_threads = 0;    ///< threads that have vertices
  std::string placer;                ///< the one that was used
  std::vector<RouterTable> routers;  ///< by board
};

/// Where images go: the HostLink's DMA, or a test's memory.
class ImageSink {
 public:
  virtual ~ImageSink() = default;
  /// Bytes for a thread-view address of one memory slice; word-aligned, whole words. Called from one thread.
  virtual void write(unsigned board_x, unsigned board_y, unsigned slice, std::uint32_t address,
                     const void* data, std::size_t bytes) = 0;
};

/// Throws UserError if no placement can make the graph fit: too many vertices, bytes, or senders to one
/// vertex that is not among `combined`.
void check_fits(const GraphStore& graph, const Machine& machine, const ElementLayout& layout,
                const MapOptions& options, const std::vector<std::uint32_t>& combined = {});

/// What POLITE_COMBINE says, or else `combine`. Throws UserError for a POLITE_COMBINE that is none.
Combine combine_or_environment(Combine combine);
/// The same of POLITE_PINS.
Pins pins_or_environment(Pins pins);

/// The vertices that partial receivers pay for, or that options ask for; most in-edges first. Depends on
/// sizes of graph and machine alone.
std::vector<std::uint32_t> worth_combining(const GraphStore& graph, const Machine& machine,
                                           const ElementLayout& layout, const MapOptions& options);

/// Places the vertices of a finished store. `weights` has one entry a vertex, or is empty (then weight = 1 +
/// degree). What goes to `combined` vertices binds no vertex to their threads, and is left to
/// combine_fan_in(). Deterministic: depends on graph, machine, options other than `threads`. Throws UserError
/// for impossible requests.
Placement place(const GraphStore& graph, const Machine& machine, const MapOptions& options,
                const std::vector<std::uint32_t>& weights, MapReport* report = nullptr,
                const std::vector<std::uint32_t>& combined = {});

/// Gives `combined` vertices (most in-edges first) trees of partial receivers: sets placement.combining.
void combine_fan_in(const GraphStore& graph, const std::vector<std::uint32_t>& combined,
                    Placement& placement);

/// How the rows of messages leave, in a superstep in which all vertices send, that `combining` makes of a
/// placed graph. Throws UserError for pins that the machine cannot serve, and for a POLITE_PINS that is none.
Sending choose_sending(const GraphStore& graph, const Placement& placement, const Combining& combining,
                       Pins pins, std::size_t message_bytes, bool may_be_direct = false);

/// Cycles that such a superstep keeps the busiest thread, core, link or router busy: which of two ways to map
/// a graph is quicker, not how quick it is.
double superstep_cycles(const GraphStore& graph, const Placement& placement, const Combining& combining,
                        const Sending& sending);

/// Messages between boards in a superstep in which all vertices send, each counted at every link that it
/// passes.
struct BoardTraffic {
  std::uint64_t rows = 0, by_key = 0;    ///< that send messages, and those of them that send some by key
  std::uint64_t messages = 0;            ///< as they leave
  std::uint64_t unicast = 0, local = 0;  ///< if all went so
  std::uint64_t bound = 0;               ///< links of each row's tree to all its boards: fewer cannot be
};
BoardTraffic board_traffic(const GraphStore& graph, const Placement& placement);

/// All of the above: where each vertex runs, which of them are heard by partial receivers, how messages
/// leave. With Combine::automatic partial receivers must make a superstep shorter.
Placement map_graph(const GraphStore& graph, const Machine& machine, const ElementLayout& layout,
                    const MapOptions& options, const std::vector<std::uint32_t>& weights,
                    MapReport* report = nullptr);

/// What a core has to do in a superstep in which all vertices send, in instructions.
struct CoreWork {
  std::uint32_t vertices = 0, partials = 0;
  double instructions = 0;
  double busiest_thread = 0;
  std::uint32_t heaviest = 0;  ///< vertex with the most to do there, itself or one partial receiver of it
  double heaviest_instructions = 0;
};
struct Forecast {
  std::uint64_t messages = 0;
  double busiest_thread = 0;    ///< instructions
  std::vector<CoreWork> cores;  ///< by dense number
};
/// Counts what each message of such a superstep costs (mapper/costs.h). `combining` and `sending` are the
/// placement's, or others for what would be with these.
Forecast forecast(const GraphStore& graph, const Placement& placement, const Combining& combining,
                  const Sending& sending);

/// The partial receivers of one vertex.
struct Tree {
  std::uint32_t vertex, in_edges, partials;
  std::uint32_t depth;  ///< of them, one after the other, from a sender to the vertex
};
/// Of all combined vertices, most in-edges first.
std::vector<Tree> trees(const GraphStore& graph, const Combining& combining);

/// Builds every thread's tables and writes them. Throws UserError naming the limit that a thread breaks, by
/// how much, and what would help; nothing has been written then. `states` is an array of S.
void write_images(const GraphStore& graph, const Placement& placement, const ElementLayout& layout,
                  const MapOptions& options, const std::byte* states, ImageSink& sink,
                  MapReport* report = nullptr);

/// A sink that writes through HostLink::dmaWrite.
std::unique_ptr<ImageSink> host_link_sink(HostLink& link);

/// Makes an exception that is not caught end the program with one line "polyloom: ..." and a status
/// (fabric/guarded.h): POLite programs have no handler of their own. Idempotent.
void report_uncaught_errors();

}  // namespace polyloom::polite
