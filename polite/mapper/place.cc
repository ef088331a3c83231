// SPDX-License-Identifier: Apache-2.0
// Placement of a graph's vertices on a machine: boards, then tiles, then threads.
// Source: Tinsel paper IV (hierarchical mapping with METIS), docs/sources/tinsel.md, 5.5.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>

#include "fabric/error.h"
#include "fabric/parallel.h"
#include "polite/generators/counter_random.h"
#include "polite/mapper/child_processes.h"
#include "polite/mapper/environment.h"
#include "polite/mapper/mesh_placement.h"
#include "polite/mapper/partition.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

/// Above this many edges the automatic placer takes the fast method: METIS alone needs minutes for a graph
/// ten times as large.
constexpr std::uint64_t kFastFrom = 2'000'000;

struct Request {
  Placer placer;
  bool fast;
  std::uint64_t seed;
  unsigned boards_x, boards_y;
  unsigned threads;
};

/// Boards that ids have room for, in x and y together.
constexpr unsigned kMostBoards = 64;

Placer placer_from_environment(Placer otherwise) {
  const std::pair<const char*, Placer> names[] = {
      {"default", otherwise},          {"metis", Placer::metis}, {"fast", Placer::fast},
      {"random", Placer::random},      {"bfs", Placer::bfs},     {"direct", Placer::direct},
      {"automatic", Placer::automatic}};
  return environment_or("POLITE_PLACER", names, otherwise);
}

Request resolve(const GraphStore& graph, const Machine& machine, const MapOptions& options) {
  Request r{};
  r.placer = placer_from_environment(options.placer);
  r.fast = r.placer == Placer::fast || (r.placer == Placer::automatic && graph.edges() > kFastFrom);
  r.seed = options.seed;
  r.threads = fabric::host_threads(options.threads);
  r.boards_x = environment_or("POLITE_BOARDS_X", kMostBoards, options.boards_x);
  r.boards_y = environment_or("POLITE_BOARDS_Y", kMostBoards, options.boards_y);
  if (r.boards_x == 0) r.boards_x = machine.boards_x;
  if (r.boards_y == 0) r.boards_y = machine.boards_y;
  if (r.boards_x > machine.boards_x || r.boards_y > machine.boards_y) {
    throw UserError("the graph is to be placed on " + std::to_string(r.boards_x) + " x " +
                    std::to_string(r.boards_y) + " boards, but the cluster has " +
                    std::to_string(machine.boards_x) + " x " + std::to_string(machine.boards_y));
  }
  return r;
}

/// Members of each part.
std::vector<std::vector<std::uint32_t>> members_of(std::span<const std::uint32_t> part, std::uint32_t k) {
  std::vector<std::vector<std::uint32_t>> members(k);
  for (std::uint32_t v = 0; v < part.size(); ++v) members[part[v]].push_back(v);
  return members;
}

/// How a graph may be cut for a mesh: the longer side of what is left by its least divisor, again and again,
/// so that parts lie to each other as the mesh's nodes do.
std::vector<std::uint32_t> splits_of(unsigned width, unsigned height) {
  std::vector<std::uint32_t> splits;
  while (width * height > 1) {
    unsigned& side = width > height ? width : height;
    unsigned divisor = 2;
    while (side % divisor != 0) ++divisor;
    splits.push_back(divisor);
    side /= divisor;
  }
  return splits.empty() ? std::vector<std::uint32_t>{1} : splits;
}

/// Partitions and places the parts on a mesh: the position of each vertex's part.
template <typename Partition>
std::vector<std::uint32_t> on_mesh(const WeightedGraph& graph, unsigned width, unsigned height,
                                   std::uint64_t seed, bool boards, Partition&& partition) {
  const auto score = [&](const std::vector<std::uint64_t>& traffic) {
    return link_load(width, height, traffic, place_on_mesh(width, height, traffic, seed));
  };
  // Links between tiles have room: only parts for boards are chosen by them.
  std::vector<std::uint32_t> part =
      boards ? partition(graph, splits_of(width, height), score)
             : partition(graph, std::vector<std::uint32_t>{width * height}, Score());
  const auto position = place_on_mesh(width, height, traffic_between(graph, part, width * height), seed);
  for (std::uint32_t& p : part) p = position[p];
  return part;
}

class Hierarchy {
  /// The partitioner of one piece; `stream` tells the seeds of pieces apart.
  auto parter(bool plain, std::uint64_t stream) const {
    return [this, plain, stream](const WeightedGraph& g, const std::vector<std::uint32_t>& splits,
                                 const Score& score = {}) {
      if (plain)
        return partition_by_chunks(g, std::accumulate(splits.begin(), splits.end(), 1u, std::multiplies<>()));
      const std::uint64_t seed = CounterRandom(request_.seed).bits(stream);
      return partition(g, splits, seed, request_.fast ? Method::fast : Method::metis, score);
    };
  }

 public:
  Hierarchy(const WeightedGraph& graph, const Machine& machine, const Request& request)
      : graph_(graph), machine_(machine), request_(request), thread_(graph.size()) {}

  std::vector<std::uint32_t> place() {
    const unsigned boards = request_.boards_x * request_.boards_y;
    SharedWords board(graph_.size());
    auto first = [&](bool plain) {
      const auto part =
          on_mesh(graph_, request_.boards_x, request_.boards_y, request_.seed, true, parter(plain, 0));
      std::copy(part.begin(), part.end(), &board[0]);
    };
    if (boards > 1) {
      child_processes(
          1, 1, [&](std::size_t) { first(false); }, [&](std::size_t) { first(true); });
    }
    const auto members = members_of(board.span(), boards);
    child_processes(
        boards, request_.threads, [&](std::size_t b) { place_board(b, members[b], false); },
        [&](std::size_t b) { place_board(b, members[b], true); });
    return {thread_.span().begin(), thread_.span().end()};
  }

 private:
  void place_board(std::size_t b, const std::vector<std::uint32_t>& members, bool plain) {
    std::vector<std::uint32_t> scratch(graph_.size(), ~0u);
    const WeightedGraph board = subgraph(graph_, members, scratch);
    const std::size_t x = b % request_.boards_x, y = b / request_.boards_x;
    const std::size_t first_tile = (y * machine_.boards_x + x) * machine_.tiles();
    const auto tile =
        on_mesh(board, machine_.tiles_x, machine_.tiles_y, request_.seed, false, parter(plain, 1 + b));
    const auto of_tile = members_of(tile, machine_.tiles());
    for (std::size_t t = 0; t < of_tile.size(); ++t) {
      const WeightedGraph inside = subgraph(board, of_tile[t], scratch);
      const auto thread =
          parter(plain, 100 + b * machine_.tiles() + t)(inside, {machine_.threads_per_tile()});
      const std::size_t base = (first_tile + t) * machine_.threads_per_tile();
      for (std::uint32_t i = 0; i < thread.size(); ++i) {
        thread_[members[of_tile[t][i]]] = static_cast<std::uint32_t>(base + thread[i]);
      }
    }
  }

  const WeightedGraph& graph_;
  const Machine& machine_;
  const Request& request_;
  SharedWords thread_;
};

/// Pieces of an order, board by board of the requested rectangle.
std::vector<std::uint32_t> place_order(const std::vector<std::uint32_t>& order,
                                       std::span<const std::uint32_t> weight, const Machine& machine,
                                       const Request& request) {
  const unsigned per_board = machine.threads_per_board();
  std::vector<std::uint32_t> thread = chunks(order, weight, request.boards_x * request.boards_y * per_board);
  for (std::uint32_t& t : thread) {
    const unsigned b = t / per_board;
    const unsigned board = b / request.boards_x * machine.boards_x + b % request.boards_x;
    t = board * per_board + t % per_board;
  }
  return thread;
}

std::vector<std::uint32_t> place_threads(const GraphStore& graph, const Machine& machine,
                                         const Request& request, const std::vector<std::uint32_t>& weights,
                                         const std::vector<std::uint32_t>& combined) {
  std::vector<std::uint32_t> order(graph.vertices());
  std::iota(order.begin(), order.end(), 0);
  if (request.placer == Placer::direct) {
    const std::vector<std::uint32_t> equal(graph.vertices(), 2);
    return place_order(order, equal, machine, request);
  }
  const WeightedGraph g = undirected(graph, weights, request.threads, combined);
  switch (request.placer) {
    case Placer::random: {
      const CounterRandom random(request.seed);
      for (std::uint32_t i = graph.vertices(); i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
      return place_order(order, g.weight, machine, request);
    }
    case Placer::bfs:
      return place_order(breadth_first_order(g), g.weight, machine, request);
    default:
      return Hierarchy(g, machine, request).place();
  }
}

const char* name_of(const Request& request) {
  switch (request.placer) {
    case Placer::random:
      return "random";
    case Placer::bfs:
      return "bfs";
    case Placer::direct:
      return "direct";
    default:
      return request.fast ? "fast" : "metis";
  }
}

/// Numbers the vertices of each thread in ascending order.
void number_locally(Placement& p) {
  const std::size_t n = p.thread.size();
  p.local.resize(n);
  p.order.resize(n);
  p.thread_begin.assign(p.machine.threads() + 1, 0);
  for (std::uint32_t t : p.thread) ++p.thread_begin[t + 1];
  std::partial_sum(p.thread_begin.begin(), p.thread_begin.end(), p.thread_begin.begin());
  std::vector<std::uint32_t> next(p.thread_begin.begin(), p.thread_begin.end() - 1);
  for (std::uint32_t v = 0; v < n; ++v) {
    const std::uint32_t t = p.thread[v];
    p.local[v] = next[t] - p.thread_begin[t];
    p.order[next[t]++] = v;
  }
}

void fill_report(const GraphStore& graph, const Placement& p, MapReport& report) {
  report.cut_boards = report.cut_tiles = report.used_threads = 0;
  const auto begin = graph.out_begin();
  const auto target = graph.out_target();
  for (std::size_t v = 0; v < graph.vertices(); ++v) {
    const std::uint32_t from = p.thread[v];
    for (std::uint64_t e = begin[v * graph.pins()]; e < begin[(v + 1) * graph.pins()]; ++e) {
      const std::uint32_t to = p.thread[target[e]];
      report.cut_boards += p.machine.board_of(from) != p.machine.board_of(to);
      report.cut_tiles += p.machine.mailbox_of(from) != p.machine.mailbox_of(to);
    }
  }
  for (unsigned t = 0; t < p.machine.threads(); ++t) {
    report.used_threads += p.thread_begin[t + 1] != p.thread_begin[t];
  }
}

}  // namespace

Placement place(const GraphStore& graph, const Machine& machine, const MapOptions& options,
                const std::vector<std::uint32_t>& weights, MapReport* report,
                const std::vector<std::uint32_t>& combined) {
  const auto start = std::chrono::steady_clock::now();
  machine.check();
  const Request request = resolve(graph, machine, options);
  if (options.chatty) {
    std::fprintf(stderr, "placing %u vertices, %llu edges on %u x %u boards (%s)\n", graph.vertices(),
                 static_cast<unsigned long long>(graph.edges()), request.boards_x, request.boards_y,
                 name_of(request));
  }
  Placement p;
  p.machine = machine;
  if (graph.vertices() != 0) p.thread = place_threads(graph, machine, request, weights, combined);
  number_locally(p);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (report != nullptr) {
    fill_report(graph, p, *report);
    report->placer = name_of(request);
    report->place_seconds = seconds;
  }
  if (options.chatty) std::fprintf(stderr, "placed in %.1f s\n", seconds);
  return p;
}

}  // namespace polyloom::polite
