// SPDX-License-Identifier: Apache-2.0
// Partial receivers: which vertices get them, and on which threads they stand.
//
// A vertex that hears from many is heard by a tree instead. Its nodes are threads that hold senders: each
// combines what its own senders say, without messages, with what its children send. The tree follows the
// machine: threads of a tile, tiles of a board, boards, the vertex. In each of these a node has at most
// kArity children, because a thread serves its messages one after the other. Source: Pregel (combiners);
// trees over the machine's levels as in SHARP; costs are the softswitch's own.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>

#include "fabric/error.h"
#include "polite/mapper/parallel.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

/// Children of a node in each level. Serving k children takes k steps a level, and there are log N / log k
/// levels, each with a message's way: 3 to 5 are best for ways of one to four steps.
constexpr std::size_t kArity = 4;

// Costs in instructions, handlers of a few instructions included (polite/README.md).
constexpr double kSend = 13, kReceive = 24, kCombine = 14;
/// Cycles from one instruction of a thread to its next, at least: the depth of a core's pipeline.
constexpr double kThreadCycles = 8;

Combine resolve(const MapOptions& options) {
  const char* text = std::getenv("POLITE_COMBINE");
  if (text == nullptr || *text == 0) return options.combine;
  static constexpr std::pair<const char*, Combine> kNames[] = {
      {"auto", Combine::automatic}, {"on", Combine::on}, {"off", Combine::off}};
  for (const auto& [name, combine] : kNames) {
    if (std::strcmp(text, name) == 0) return combine;
  }
  throw UserError(std::string("POLITE_COMBINE=") + text + " is unknown; allowed: auto, on, off");
}

/// In-edges from which on a vertex, alone on its thread, would take longer than all others need, or costs
/// more than its partial receivers do.
double fewest_worth(const GraphStore& graph, const Machine& machine, unsigned boards) {
  const double threads = static_cast<double>(boards) * machine.threads_per_board();
  const double cores = threads / machine.threads_per_core;
  const double core_cycles = static_cast<double>(graph.edges()) * (kSend + kReceive) / cores;
  return std::max(core_cycles / (kReceive * kThreadCycles), 2.0 * kArity);
}

/// A thread that holds senders of one vertex.
struct Item {
  std::uint32_t thread;
  std::uint32_t first, count;  ///< its senders' edges
  std::uint32_t children = 0;
  std::uint32_t parent = ~0u;  ///< item; none: the vertex
  std::uint32_t partial = ~0u;
};

class TreeBuilder {
 public:
  TreeBuilder(const GraphStore& graph, const std::vector<std::uint32_t>& combined, Placement& placement)
      : graph_(graph), combined_(combined), placement_(placement), machine_(placement.machine) {}

  Combining build() {
    count_loads();
    find_senders();
    result_.target.assign(graph_.out_target().begin(), graph_.out_target().end());
    for (std::size_t i = 0; i < combined_.size(); ++i) build_tree(i);
    if (result_.partials.empty()) return {};
    number_by_thread();
    return std::move(result_);
  }

 private:
  struct Sender {
    std::uint32_t thread;
    std::uint32_t edge;
  };

  /// Work of each thread without what combined vertices hear.
  void count_loads() {
    load_.assign(machine_.threads(), 0);
    std::vector<bool> is_combined(graph_.vertices(), false);
    for (const std::uint32_t v : combined_) is_combined[v] = true;
    const auto in = graph_.in_degree();
    const auto out = graph_.out_begin();
    for (std::size_t v = 0; v < graph_.vertices(); ++v) {
      double& load = load_[placement_.thread[v]];
      load += kSend * static_cast<double>(out[(v + 1) * graph_.pins()] - out[v * graph_.pins()]);
      if (!is_combined[v]) load += kReceive * in[v];
    }
  }

  /// Senders of each combined vertex, by thread.
  void find_senders() {
    std::vector<std::uint32_t> number(graph_.vertices(), ~0u);
    for (std::uint32_t i = 0; i < combined_.size(); ++i) number[combined_[i]] = i;
    senders_.resize(combined_.size());
    for (std::size_t i = 0; i < combined_.size(); ++i) senders_[i].reserve(graph_.in_degree()[combined_[i]]);
    const auto begin = graph_.out_begin();
    const auto target = graph_.out_target();
    for (std::size_t v = 0; v < graph_.vertices(); ++v) {
      for (std::uint64_t e = begin[v * graph_.pins()]; e < begin[(v + 1) * graph_.pins()]; ++e) {
        if (const std::uint32_t i = number[target[e]]; i != ~0u)
          senders_[i].push_back({placement_.thread[v], static_cast<std::uint32_t>(e)});
      }
    }
    parallel_for(senders_.size(), host_threads(0), [&](std::size_t i) {
      std::stable_sort(senders_[i].begin(), senders_[i].end(),
                       [](const Sender& a, const Sender& b) { return a.thread < b.thread; });
    });
  }

  void build_tree(std::size_t i) {
    const std::uint32_t vertex = combined_[i];
    const std::vector<Sender>& senders = senders_[i];
    items_.clear();
    for (std::uint32_t s = 0; s < senders.size(); ++s) {
      if (items_.empty() || items_.back().thread != senders[s].thread)
        items_.push_back({senders[s].thread, s, 0});
      ++items_.back().count;
    }
    link_items(vertex);
    for (Item& item : items_) {
      if (item.children == 0 && item.count == 1) continue;
      item.partial = static_cast<std::uint32_t>(result_.partials.size());
      result_.partials.push_back({vertex, item.thread, vertex, item.count + item.children});
      load_[item.thread] += kCombine * item.count + kReceive * item.children + kSend;
    }
    for (const Item& item : items_) {
      const std::uint32_t parent =
          item.parent == ~0u ? vertex : graph_.vertices() + items_[item.parent].partial;
      if (item.partial != ~0u) result_.partials[item.partial].to = parent;
      const std::uint32_t to = item.partial == ~0u ? parent : graph_.vertices() + item.partial;
      for (std::uint32_t s = item.first; s < item.first + item.count; ++s)
        result_.target[senders[s].edge] = to;
    }
  }

  /// Joins the items of each tile, then of each board, then all, to the vertex.
  void link_items(std::uint32_t vertex) {
    std::vector<std::uint32_t> tiles, boards, all;
    const auto roots = [&](auto place_of) {
      return [this, place_of](const std::vector<std::uint32_t>& nodes, std::vector<std::uint32_t>& result) {
        for (std::size_t i = 0; i < nodes.size();) {
          std::size_t j = i;
          while (j < nodes.size() && place_of(items_[nodes[j]].thread) == place_of(items_[nodes[i]].thread))
            ++j;
          result.push_back(join(std::vector<std::uint32_t>(nodes.begin() + static_cast<std::ptrdiff_t>(i),
                                                           nodes.begin() + static_cast<std::ptrdiff_t>(j))));
          i = j;
        }
      };
    };
    all.resize(items_.size());
    std::iota(all.begin(), all.end(), 0);
    roots([this](std::uint32_t t) { return machine_.mailbox_of(t); })(all, tiles);
    roots([this](std::uint32_t t) { return machine_.board_of(t); })(tiles, boards);
    sort_by(boards, [&](const Item& item) {
      return std::pair(hops(machine_.board_of(item.thread), machine_.board_of(placement_.thread[vertex])),
                       load_[item.thread]);
    });
    for (std::size_t i = kArity; i < boards.size(); ++i) adopt(boards[i / kArity - 1], boards[i]);
  }

  /// Makes a tree of nodes, of which the least loaded serve the most. Returns its root.
  std::uint32_t join(std::vector<std::uint32_t> nodes) {
    sort_by(nodes, [&](const Item& item) { return load_[item.thread]; });
    for (std::size_t i = 1; i < nodes.size(); ++i) adopt(nodes[(i - 1) / kArity], nodes[i]);
    return nodes[0];
  }
  template <typename Key>
  void sort_by(std::vector<std::uint32_t>& nodes, Key key) const {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(items_[a]) < key(items_[b]); });
  }
  void adopt(std::uint32_t parent, std::uint32_t child) {
    items_[child].parent = parent;
    ++items_[parent].children;
  }
  unsigned hops(unsigned a, unsigned b) const {
    const auto apart = [](unsigned i, unsigned j) { return i < j ? j - i : i - j; };
    return apart(a % machine_.boards_x, b % machine_.boards_x) +
           apart(a / machine_.boards_x, b / machine_.boards_x);
  }

  /// Orders partial receivers by thread, and adds their rows.
  void number_by_thread() {
    const std::uint32_t n = graph_.vertices();
    std::vector<std::uint32_t> order(result_.partials.size()), number(order.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return result_.partials[a].thread < result_.partials[b].thread;
    });
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    const auto renumber = [&](std::uint32_t& target) {
      if (target >= n) target = n + number[target - n];
    };
    std::vector<Partial> partials(order.size());
    result_.thread_begin.assign(machine_.threads() + 1, 0);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      partials[i] = result_.partials[order[i]];
      renumber(partials[i].to);
      ++result_.thread_begin[partials[i].thread + 1];
    }
    std::partial_sum(result_.thread_begin.begin(), result_.thread_begin.end(), result_.thread_begin.begin());
    result_.partials = std::move(partials);
    for (std::uint32_t& target : result_.target) renumber(target);
    result_.out_begin.assign(graph_.out_begin().begin(), graph_.out_begin().end());
    for (const Partial& partial : result_.partials) {
      result_.target.push_back(partial.to);
      result_.out_begin.push_back(result_.target.size());
    }
  }

  const GraphStore& graph_;
  const std::vector<std::uint32_t>& combined_;
  const Placement& placement_;
  const Machine& machine_;
  std::vector<double> load_;  ///< of threads, in instructions
  std::vector<std::vector<Sender>> senders_;
  std::vector<Item> items_;
  Combining result_;
};

}  // namespace

std::vector<std::uint32_t> worth_combining(const GraphStore& graph, const Machine& machine,
                                           const ElementLayout& layout, const MapOptions& options) {
  const Combine combine = resolve(options);
  if (layout.partial_bytes == 0 || combine == Combine::off) return {};
  const unsigned boards = (options.boards_x == 0 ? machine.boards_x : options.boards_x) *
                          (options.boards_y == 0 ? machine.boards_y : options.boards_y);
  const double fewest = combine == Combine::on ? 2.0 * kArity : fewest_worth(graph, machine, boards);
  const auto degree = graph.in_degree();
  std::vector<std::uint32_t> combined;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    if (degree[v] > fewest) combined.push_back(v);
  }
  std::stable_sort(combined.begin(), combined.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return degree[a] > degree[b]; });
  return combined;
}

void combine_fan_in(const GraphStore& graph, const std::vector<std::uint32_t>& combined,
                    Placement& placement) {
  placement.combining = {};
  if (!combined.empty()) placement.combining = TreeBuilder(graph, combined, placement).build();
}

}  // namespace polyloom::polite
