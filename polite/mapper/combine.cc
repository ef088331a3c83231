// SPDX-License-Identifier: Apache-2.0
// Partial receivers: which vertices get them, and on which threads they stand.
//
// A vertex that hears from many is heard by a tree instead. Its leaves are threads with several senders: each
// combines what they say, without messages. The tree follows the machine: threads of a tile, tiles of a
// board, boards, the vertex; its inner nodes stand where there is least to do. A node takes at most kArity
// messages, because a thread serves them one after the other. Source: Pregel (combiners); trees over the
// machine's levels as in SHARP; costs are the softswitch's own.
#include <algorithm>
#include <numeric>
#include <span>

#include "fabric/parallel.h"
#include "polite/layout.h"
#include "polite/mapper/costs.h"
#include "polite/mapper/environment.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

using costs::kCombine, costs::kReceive, costs::kSend, costs::kThreadCycles, costs::kVertex;

/// Messages that a partial receiver takes from other threads. Fewer make higher trees of more partial
/// receivers, more keep one thread busy for longer: from 8 to 14 supersteps of the package graph and of
/// Kronecker graphs differ by 5 %.
constexpr std::size_t kArity = 12;
/// Fewer sources of one thread, tile or board send by themselves: a partial receiver costs three messages.
constexpr std::size_t kWorthOne = 4;
constexpr std::uint32_t kNoPartial = 0xffffffff;

/// A vertex with more in-edges keeps its thread busy for over a quarter of the time that a core needs for its
/// share of all edges. What one partial receiver takes is no reason to have one; more senders than a thread
/// has keys for always are.
double most_heard_alone(const GraphStore& graph, const Machine& machine, unsigned boards) {
  const double cores = static_cast<double>(boards) * machine.threads_per_board() / machine.threads_per_core;
  const double core_cycles = static_cast<double>(graph.edges()) * (kSend + kReceive) / cores;
  return std::clamp(core_cycles / 4 / (kReceive * kThreadCycles), 1.0 * kArity, 1.0 * kNoKey);
}

/// Where a message to one vertex comes from: a partial receiver, or one vertex that sends by itself.
struct Source {
  std::uint32_t thread;
  std::uint32_t first, count;  ///< edges of a vertex, among the senders
  std::uint32_t partial = kNoPartial;
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
    std::uint32_t vertex;
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
      const std::uint64_t edges = out[(v + 1) * graph_.pins()] - out[v * graph_.pins()];
      load += kVertex + kSend * static_cast<double>(std::min<std::uint64_t>(edges, machine_.mailboxes()));
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
          senders_[i].push_back(
              {placement_.thread[v], static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(e)});
      }
    }
    fabric::parallel_for(senders_.size(), fabric::host_threads(0), [&](std::size_t i) {
      std::stable_sort(senders_[i].begin(), senders_[i].end(),
                       [](const Sender& a, const Sender& b) { return a.thread < b.thread; });
    });
  }

  void build_tree(std::size_t i) {
    vertex_ = combined_[i];
    edges_ = senders_[i];
    std::vector<Source> sources = combine_on_threads();
    sources = combine_each(sources, &Machine::mailbox_of, kWorthOne);
    sources = combine_each(sources, &Machine::board_of, kWorthOne);
    const unsigned home = machine_.board_of(placement_.thread[vertex_]);
    std::stable_sort(sources.begin(), sources.end(), [&](const Source& a, const Source& b) {
      return hops(machine_.board_of(a.thread), home) > hops(machine_.board_of(b.thread), home);
    });
    sources = combine(sources, kArity + 1);
    for (const Source& source : sources) {
      point(source, vertex_);
      load_[placement_.thread[vertex_]] += kReceive;
    }
  }

  /// What a thread's vertices send is combined there, if they are several.
  std::vector<Source> combine_on_threads() {
    std::vector<Source> sources, here;
    for (std::uint32_t s = 0; s < edges_.size();) {
      const std::uint32_t thread = edges_[s].thread;
      here.clear();
      for (; s < edges_.size() && edges_[s].thread == thread; ++s) {
        if (here.empty() || edges_[s].vertex != edges_[s - 1].vertex) here.push_back({thread, s, 0});
        ++here.back().count;
      }
      if (here.size() >= kWorthOne) {
        const std::uint32_t partial = new_partial(thread);
        for (const Source& vertex : here) adopt(partial, vertex, kCombine);
        here = {{thread, 0, 0, partial}};
      }
      sources.insert(sources.end(), here.begin(), here.end());
    }
    return sources;
  }

  /// Combines the sources of each tile, or of each board, down to fewer than `enough`.
  std::vector<Source> combine_each(const std::vector<Source>& sources,
                                   unsigned (Machine::*place)(unsigned) const, std::size_t enough) {
    std::vector<Source> left;
    for (auto first = sources.begin(); first != sources.end();) {
      const unsigned here = (machine_.*place)(first->thread);
      const auto last = std::find_if(first, sources.end(),
                                     [&](const Source& s) { return (machine_.*place)(s.thread) != here; });
      const std::vector<Source> rest = combine({first, last}, enough);
      left.insert(left.end(), rest.begin(), rest.end());
      first = last;
    }
    return left;
  }
  std::vector<Source> combine(std::vector<Source> sources, std::size_t enough) {
    while (sources.size() >= enough) {
      std::vector<Source> next;
      const std::size_t groups = (sources.size() + kArity - 1) / kArity;
      for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t first = sources.size() * g / groups, last = sources.size() * (g + 1) / groups;
        next.push_back(join(std::span(sources).subspan(first, last - first)));
      }
      sources = std::move(next);
    }
    return sources;
  }

  /// Makes one source of some: at the partial receiver among them whose thread has least to do, or at a new
  /// one if another thread near them has so much less to do that a message more pays.
  Source join(std::span<const Source> group) {
    if (group.size() == 1) return group[0];
    const Source* host = nullptr;
    std::uint32_t idle = group[0].thread;
    for (const Source& source : group) {
      if (source.partial != kNoPartial && taken_[source.partial] + group.size() <= kArity + 1 &&
          (host == nullptr || load_[source.thread] < load_[host->thread]))
        host = &source;
      const std::uint32_t tile = machine_.mailbox_of(source.thread) * machine_.threads_per_tile();
      for (std::uint32_t t = tile; t < tile + machine_.threads_per_tile(); ++t) {
        if (load_[t] < load_[idle]) idle = t;
      }
    }
    Source result{idle, 0, 0};
    if (host != nullptr && load_[host->thread] <= load_[idle] + kSend + kReceive) {
      result = *host;
    } else {
      host = nullptr;
      result.partial = new_partial(idle);
    }
    for (const Source& source : group) {
      if (&source != host) adopt(result.partial, source, kReceive);
    }
    taken_[result.partial] += static_cast<std::uint32_t>(group.size()) - (host != nullptr);
    return result;
  }

  std::uint32_t new_partial(std::uint32_t thread) {
    result_.partials.push_back({vertex_, thread, vertex_, 0});
    taken_.push_back(0);
    load_[thread] += kVertex + kSend;
    return static_cast<std::uint32_t>(result_.partials.size() - 1);
  }
  /// Lets a partial receiver hear a source; its first message costs that much.
  void adopt(std::uint32_t partial, const Source& source, double cost) {
    Partial& parent = result_.partials[partial];
    const std::uint32_t messages = source.partial == kNoPartial ? source.count : 1;
    parent.expected += messages;
    load_[parent.thread] += cost + kCombine * (messages - 1);
    point(source, graph_.vertices() + partial);
  }
  void point(const Source& source, std::uint32_t to) {
    if (source.partial != kNoPartial) {
      result_.partials[source.partial].to = to;
      return;
    }
    for (std::uint32_t s = source.first; s < source.first + source.count; ++s)
      result_.target[edges_[s].edge] = to;
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
  std::vector<double> load_;          ///< of threads, in instructions
  std::vector<std::uint32_t> taken_;  ///< sources of each partial receiver, but for vertices on its thread
  std::vector<std::vector<Sender>> senders_;
  std::uint32_t vertex_ = 0;       ///< whose tree is being built
  std::span<const Sender> edges_;  ///< to it
  Combining result_;
};

}  // namespace

Combine combine_or_environment(Combine combine) {
  return environment_or("POLITE_COMBINE", kCombineNames, combine);
}

std::vector<std::uint32_t> worth_combining(const GraphStore& graph, const Machine& machine,
                                           const ElementLayout& layout, const MapOptions& options) {
  const Combine combine = combine_or_environment(options.combine);
  if (layout.partial_bytes == 0 || combine == Combine::off) return {};
  const unsigned boards = (options.boards_x == 0 ? machine.boards_x : options.boards_x) *
                          (options.boards_y == 0 ? machine.boards_y : options.boards_y);
  const double most_alone = combine == Combine::on ? 1.0 * kArity : most_heard_alone(graph, machine, boards);
  const auto degree = graph.in_degree();
  std::vector<std::uint32_t> combined;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    if (degree[v] > most_alone) combined.push_back(v);
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
