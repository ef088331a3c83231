// SPDX-License-Identifier: Apache-2.0
// What no placement can change: found before the mapper works for minutes.
#include <algorithm>
#include <string>

#include "fabric/error.h"
#include "polite/image/limits.h"
#include "polite/layout.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

/// Messages that find their receivers by an index on one thread: 0 .. kNoKey - 1.
constexpr std::uint64_t kMostSenders = kNoKey;

[[noreturn]] void refuse(const std::string& what, unsigned boards, const char* help) {
  throw UserError("the graph does not fit: " + what + "; what helps: " + help + " (now " +
                  std::to_string(boards) + (boards == 1 ? " board)" : " boards)"));
}

/// Senders whose messages reach `v`, counted by (vertex, pin): parallel edges share a message.
std::uint64_t senders_of(const GraphStore& graph, std::uint32_t v) {
  const auto begin = graph.out_begin();
  const auto target = graph.out_target();
  std::uint64_t senders = 0;
  for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
    const auto first = target.begin() + static_cast<std::ptrdiff_t>(begin[row]);
    const auto last = target.begin() + static_cast<std::ptrdiff_t>(begin[row + 1]);
    senders += std::find(first, last, v) != last;
  }
  return senders;
}

}  // namespace

void check_fits(const GraphStore& graph, const Machine& machine, const ElementLayout& layout,
                const MapOptions& options, const std::vector<std::uint32_t>& combined) {
  const unsigned boards =
      (options.boards_x == 0 ? machine.boards_x : std::min(options.boards_x, machine.boards_x)) *
      (options.boards_y == 0 ? machine.boards_y : std::min(options.boards_y, machine.boards_y));
  const std::uint64_t threads = std::uint64_t{boards} * machine.threads_per_board();
  const std::uint64_t a_thread =
      std::min<std::uint64_t>(kMaxDevicesPerThread, 32768 * layout.state_unit / layout.pstate_bytes);
  if (graph.vertices() > a_thread * threads) {
    refuse("it has " + std::to_string(graph.vertices()) + " vertices, and " + std::to_string(threads) +
               " threads hold at most " + std::to_string(a_thread) + " each, " +
               std::to_string(a_thread * threads) + " in all",
           boards, "more boards");
  }
  // Each edge is an entry at its receiver, whatever else its messages take.
  const std::uint64_t bytes = graph.vertices() * (layout.pstate_bytes + layout.accumulator_bytes) +
                              graph.edges() * layout.in_edge_bytes;
  const std::uint64_t there =
      threads * (machine.sram_bytes - kSramReserve + machine.dram_bytes - kDramReserve);
  if (bytes > there) {
    refuse("its states and in-edges take " + std::to_string(bytes) + " bytes, and the memories of " +
               std::to_string(threads) + " threads hold " + std::to_string(there),
           boards, "more boards, or smaller states and labels");
  }
  std::vector<std::uint32_t> degree(graph.in_degree().begin(), graph.in_degree().end());
  for (const std::uint32_t v : combined) degree[v] = 0;
  const auto most = std::max_element(degree.begin(), degree.end());
  if (most == degree.end() || *most <= kMostSenders) return;
  const std::uint64_t senders = senders_of(graph, static_cast<std::uint32_t>(most - degree.begin()));
  if (senders > kMostSenders) {
    refuse("a vertex has in-edges from " + std::to_string(senders) +
               " others, and on a thread messages find their receivers by a 16-bit index of at most " +
               std::to_string(kMostSenders - 1),
           boards,
           layout.partial_bytes != 0
               ? "combiners (--combine auto or on), or --on native; more boards do not"
               : "a combiner in the vertex class, to split vertices that have so many in-edges, or --on "
                 "native; more boards do not");
  }
}

}  // namespace polyloom::polite
