// SPDX-License-Identifier: Apache-2.0
// What a mapped graph will cost, counted message by message.
#include <algorithm>
#include <utility>

#include "polite/mapper/costs.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

class Counter {
 public:
  Counter(const GraphStore& graph, const Placement& placement, const Combining& combining)
      : graph_(graph),
        placement_(placement),
        combining_(combining),
        work_(graph.vertices() + combining.partials.size()) {}

  Forecast count() {
    const auto begin = combining_.empty() ? graph_.out_begin() : combining_.out_begin;
    const auto target = combining_.empty() ? graph_.out_target() : combining_.target;
    for (std::size_t row = 0; row + 1 < begin.size(); ++row)
      count_row(sender_of(row), target.subspan(begin[row], begin[row + 1] - begin[row]));
    for (std::uint32_t i = 0; i < work_.size(); ++i) work_[i] += costs::kVertex;
    sum_up();
    return std::move(result_);
  }

 private:
  std::uint32_t thread_of(std::uint32_t at) const {
    return at < graph_.vertices() ? placement_.thread[at]
                                  : combining_.partials[at - graph_.vertices()].thread;
  }
  std::uint32_t sender_of(std::size_t row) const {
    const std::size_t rows = std::size_t{graph_.vertices()} * graph_.pins();
    return static_cast<std::uint32_t>(row < rows ? row / graph_.pins() : graph_.vertices() + (row - rows));
  }

  void count_row(std::uint32_t sender, std::span<const std::uint32_t> targets) {
    const std::uint32_t home = thread_of(sender);
    away_.clear();
    for (const std::uint32_t t : targets) {
      if (t >= graph_.vertices() && thread_of(t) == home) {
        work_[t] += costs::kCombine;
      } else {
        away_.emplace_back(thread_of(t), t);
      }
    }
    std::sort(away_.begin(), away_.end());
    const std::pair<std::uint32_t, std::uint32_t>* before = nullptr;
    for (const auto& at : away_) {
      if (before == nullptr ||
          placement_.machine.mailbox_of(before->first) != placement_.machine.mailbox_of(at.first)) {
        work_[sender] += costs::kSend;
        ++result_.messages;
      }
      work_[at.second] += before == nullptr || before->first != at.first ? costs::kReceive : costs::kFurther;
      before = &at;
    }
  }

  void sum_up() {
    const unsigned per_core = placement_.machine.threads_per_core;
    std::vector<double> thread(placement_.machine.threads(), 0);
    result_.cores.resize(thread.size() / per_core);
    for (std::uint32_t i = 0; i < work_.size(); ++i) {
      const std::uint32_t t = thread_of(i);
      thread[t] += work_[i];
      CoreWork& core = result_.cores[t / per_core];
      const bool is_vertex = i < graph_.vertices();
      ++(is_vertex ? core.vertices : core.partials);
      core.instructions += work_[i];
      if (work_[i] <= core.heaviest_instructions) continue;
      core.heaviest_instructions = work_[i];
      core.heaviest = is_vertex ? i : combining_.partials[i - graph_.vertices()].vertex;
    }
    result_.busiest_thread = *std::max_element(thread.begin(), thread.end());
    for (std::size_t t = 0; t < thread.size(); ++t) {
      double& busiest = result_.cores[t / per_core].busiest_thread;
      busiest = std::max(busiest, thread[t]);
    }
  }

  const GraphStore& graph_;
  const Placement& placement_;
  const Combining& combining_;
  std::vector<double> work_;  ///< of each vertex, then of each partial receiver
  std::vector<std::pair<std::uint32_t, std::uint32_t>> away_;  ///< thread and target of a row's messages
  Forecast result_;
};

}  // namespace

Forecast forecast(const GraphStore& graph, const Placement& placement, const Combining& combining) {
  return Counter(graph, placement, combining).count();
}

std::vector<Tree> trees(const GraphStore& graph, const Combining& combining) {
  const std::uint32_t n = graph.vertices();
  std::vector<Tree> found;
  std::vector<std::uint32_t> number(n, ~0u);
  for (const Partial& partial : combining.partials) {
    if (number[partial.vertex] == ~0u) {
      number[partial.vertex] = static_cast<std::uint32_t>(found.size());
      found.push_back({partial.vertex, graph.in_degree()[partial.vertex], 0, 0});
    }
    Tree& tree = found[number[partial.vertex]];
    ++tree.partials;
    std::uint32_t depth = 1;
    for (std::uint32_t at = partial.to; at >= n; at = combining.partials[at - n].to) ++depth;
    tree.depth = std::max(tree.depth, depth);
  }
  std::sort(found.begin(), found.end(), [](const Tree& a, const Tree& b) {
    return std::pair(b.in_edges, a.vertex) < std::pair(a.in_edges, b.vertex);
  });
  return found;
}

}  // namespace polyloom::polite
