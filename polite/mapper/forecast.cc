// SPDX-License-Identifier: Apache-2.0
// What a mapped graph will cost, counted message by message.
#include <algorithm>
#include <utility>

#include "polite/mapper/costs.h"
#include "polite/mapper/spread.h"

namespace polyloom::polite {

namespace {

class Counter {
 public:
  Counter(const GraphStore& graph, const Placement& placement, const Combining& combining,
          const Sending& sending)
      : placement_(placement),
        combining_(combining),
        sending_(sending),
        routes_(graph, placement, combining),
        spread_(routes_, placement.machine),
        work_(routes_.thread.size()) {}

  Forecast count() {
    for (std::size_t row = 0; row < routes_.rows(); ++row) count_row(row);
    for (double& work : work_) work += costs::kVertex;
    sum_up();
    return std::move(result_);
  }

 private:
  void count_row(std::size_t row) {
    for (const std::uint32_t t : routes_.targets(row)) {
      if (routes_.is_local(row, t)) work_[t] += costs::kCombine;
    }
    spread_.look(row);
    if (spread_.away.empty()) return;
    const unsigned sends = spread_.sends(sending_.of(row));
    work_[routes_.sender(row)] += sends * costs::kSend;
    result_.messages += sends;
    const std::pair<std::uint32_t, std::uint32_t>* before = nullptr;
    for (const auto& at : spread_.away) {
      work_[at.second] += before == nullptr || before->first != at.first ? costs::kReceive : costs::kFurther;
      before = &at;
    }
  }

  void sum_up() {
    const unsigned per_core = placement_.machine.threads_per_core;
    std::vector<double> thread(placement_.machine.threads(), 0);
    result_.cores.resize(thread.size() / per_core);
    for (std::uint32_t i = 0; i < work_.size(); ++i) {
      const std::uint32_t t = routes_.thread[i];
      thread[t] += work_[i];
      CoreWork& core = result_.cores[t / per_core];
      const bool is_vertex = !routes_.is_partial(i);
      ++(is_vertex ? core.vertices : core.partials);
      core.instructions += work_[i];
      if (work_[i] <= core.heaviest_instructions) continue;
      core.heaviest_instructions = work_[i];
      core.heaviest = is_vertex ? i : combining_.partials[i - routes_.vertices].vertex;
    }
    result_.busiest_thread = *std::max_element(thread.begin(), thread.end());
    for (std::size_t t = 0; t < thread.size(); ++t) {
      double& busiest = result_.cores[t / per_core].busiest_thread;
      busiest = std::max(busiest, thread[t]);
    }
  }

  const Placement& placement_;
  const Combining& combining_;
  const Sending& sending_;
  const Routes routes_;
  Spread spread_;
  std::vector<double> work_;  ///< of each vertex, then of each partial receiver
  Forecast result_;
};

}  // namespace

Forecast forecast(const GraphStore& graph, const Placement& placement, const Combining& combining,
                  const Sending& sending) {
  return Counter(graph, placement, combining, sending).count();
}

BoardTraffic board_traffic(const GraphStore& graph, const Placement& placement) {
  const Machine& machine = placement.machine;
  const Routes routes(graph, placement, placement.combining);
  Spread spread(routes, machine);
  BoardTraffic traffic;
  for (std::size_t row = 0; row < routes.rows(); ++row) {
    spread.look(row);
    if (spread.away.empty()) continue;
    std::uint64_t unicast = 0, local = 0;
    for_each_board(spread.boards, [&](unsigned board) {
      const unsigned links = links_between(machine, spread.home, board);
      unicast += std::uint64_t{links} * spread.threads_on[board];
      local += std::uint64_t{links} * spread.mailboxes_on[board];
    });
    const Boards tree = tree_to(machine, spread.home, spread.boards);
    const auto bound = static_cast<std::uint64_t>(std::popcount(tree) - 1);
    const Way way = placement.sending.of(row);
    ++traffic.rows;
    traffic.by_key += has_key(way);
    traffic.messages += way == Way::threads ? unicast : way == Way::masks ? local : bound;
    traffic.unicast += unicast, traffic.local += local, traffic.bound += bound;
  }
  return traffic;
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
