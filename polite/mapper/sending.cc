// SPDX-License-Identifier: Apache-2.0
// How rows of messages leave: to threads, to mailboxes by masks, or by routing keys.
//
// A key spares the sender messages, and the links all but one message each; it costs routers a look-up on
// each board, and what it brings to the sender's own board a way through its router. What that is worth
// depends on what the graph keeps busy. So each row takes the way that is cheapest at prices of what there
// is: threads, cores, links, inputs of routers. The price of each is high where a superstep would wait for
// it. A few rounds of rows and prices settle; the round counts that foretells the shortest superstep, unless
// all rows alike, by masks or by keys, are foretold to be about as quick. Source:
// Multicast paper V.D (keys where a pin leaves its board); prices as in the dual of a linear program.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "fabric/error.h"
#include "polite/mapper/costs.h"
#include "polite/mapper/environment.h"
#include "polite/mapper/parallel.h"
#include "polite/mapper/spread.h"

namespace polyloom::polite {

namespace {

/// What messages need.
enum Resource { kThreads, kCores, kLinks, kInputs, kResources };
using Amounts = std::array<double, kResources>;
constexpr std::size_t kWays = 4;
/// How messages load links and routers: to threads, by masks, by keys.
enum Kind { kToThreads, kByMasks, kByKeys, kKinds };
Kind kind_of(Way way) { return way == Way::threads ? kToThreads : way == Way::masks ? kByMasks : kByKeys; }
std::size_t index(Way way) { return static_cast<std::size_t>(way); }

/// What a superstep costs in which all rows send, by the ways that they take.
class Superstep {
 public:
  Superstep(const Routes& routes, const Machine& machine, unsigned flits)
      : routes_(routes),
        machine_(machine),
        flits_(flits),
        rows_(routes.rows()),
        work_(machine.threads(), 0),
        inputs_(std::size_t{machine.boards()} * (4 + machine.tiles_x)) {
    for (const std::uint32_t thread : routes.thread)
      work_[thread] += static_cast<std::uint64_t>(costs::kVertex);
    parallel_for(kBlocks, host_threads(0), [&](std::size_t block) { look_at(block); });
  }

  std::vector<Way> cheapest_ways() const {
    std::vector<Way> best, way(rows_.size(), Way::masks);
    double shortest = HUGE_VAL;
    const auto consider = [&] {
      const Amounts busy = busiest(way);
      const double length = *std::max_element(busy.begin(), busy.end());
      if (length < shortest) best = way, shortest = length;
      return busy;
    };
    Amounts busy = consider();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_[row].leaves_home) way[row] = Way::key;
    }
    consider();
    shortest *= kWorthMixing;
    for (int round = 0; round < kRounds; ++round) {
      const Amounts price = prices(busy);
      for (std::size_t row = 0; row < rows_.size(); ++row) way[row] = cheapest(rows_[row], price);
      busy = consider();
    }
    return best;
  }
  double cycles(const std::vector<Way>& way) const {
    const Amounts busy = busiest(way);
    return *std::max_element(busy.begin(), busy.end());
  }

 private:
  static constexpr std::size_t kBlocks = 64;
  static constexpr int kRounds = 4;
  /// Some rows by keys and some by masks must shorten a superstep to this: how such rows share a link is not
  /// known well.
  static constexpr double kWorthMixing = 0.8;

  /// What a row needs by each of its ways: messages of the sender, cycles of all links, and of all inputs of
  /// board routers.
  struct Row {
    std::uint32_t thread;
    bool leaves_home = false;
    std::array<std::uint32_t, kWays> sends{};
    std::array<float, kWays> links{}, inputs{};
  };
  /// Cycles of a link or an input if all messages that leave their board are of one kind.
  using Load = std::array<std::atomic<std::uint64_t>, kKinds>;

  double link_cycles(bool with_mask) const { return costs::kLinkWord * (1 + with_mask + 2 * flits_); }
  Load& input(unsigned board, unsigned from) {
    return inputs_[std::size_t{board} * (4 + machine_.tiles_x) + from];
  }

  void look_at(std::size_t block) {
    Spread spread(routes_, machine_);
    for (std::size_t row = rows_.size() * block / kBlocks; row < rows_.size() * (block + 1) / kBlocks;
         ++row) {
      spread.look(row);
      Row& r = rows_[row];
      r.thread = routes_.thread[routes_.sender(row)];
      const auto work = [&](std::uint32_t thread, double instructions) {
        std::atomic_ref(work_[thread]).fetch_add(static_cast<std::uint64_t>(instructions));
      };
      for (std::size_t i = 0; i < spread.away.size(); ++i) {
        const bool first = i == 0 || spread.away[i - 1].first != spread.away[i].first;
        work(spread.away[i].first, first ? costs::kReceive : costs::kFurther);
      }
      work(r.thread, costs::kCombine * static_cast<double>(routes_.targets(row).size() - spread.away.size()));
      r.leaves_home = spread.leaves_home();
      for (std::size_t w = 0; w < kWays; ++w)
        r.sends[w] = spread.away.empty() ? 0 : spread.sends(static_cast<Way>(w));
      if (r.leaves_home) look_outside(spread, r);
    }
  }

  void look_outside(const Spread& spread, Row& r) {
    const unsigned column = 4 + r.thread / machine_.threads_per_tile() % machine_.tiles_x;
    const auto load = [](std::atomic<std::uint64_t>& at, double cycles) {
      at.fetch_add(static_cast<std::uint64_t>(std::lround(cycles)), std::memory_order_relaxed);
    };
    const auto one_by_one = [&](Way way, unsigned to, unsigned messages, bool with_mask) {
      const Kind kind = kind_of(way);
      const double cycles = messages * link_cycles(with_mask), flits = static_cast<double>(messages) * flits_;
      load(input(spread.home, column)[kind], flits);
      r.inputs[index(way)] += static_cast<float>(flits);
      for_each_link(machine_, spread.home, to, [&](unsigned board, unsigned direction, unsigned next) {
        load(link(board, direction)[kind], cycles);
        load(input(next, direction)[kind], flits);
        r.links[index(way)] += static_cast<float>(cycles);
        r.inputs[index(way)] += static_cast<float>(flits);
      });
    };
    for_each_board(spread.boards & ~board_bit(spread.home), [&](unsigned to) {
      one_by_one(Way::threads, to, spread.threads_on[to], false);
      // One thread's bit travels in the header.
      one_by_one(Way::masks, to, spread.mailboxes_on[to], spread.threads_on[to] > spread.mailboxes_on[to]);
    });
    const Boards tree = tree_to(machine_, spread.home, spread.boards);
    const auto pass = [&](unsigned board, unsigned from) {
      double copies = holds(spread.boards, board) ? spread.mailboxes_on[board] : 0;
      if (board == spread.home) r.inputs[index(Way::key_and_masks)] -= static_cast<float>(copies * flits_);
      for_each_branch(machine_, spread.home, tree, board, [&](unsigned direction, unsigned) {
        load(link(board, direction)[kByKeys], link_cycles(false));
        ++copies;
      });
      const double cycles = costs::kKey + copies * flits_;
      load(input(board, from)[kByKeys], cycles);
      r.inputs[index(Way::key)] += static_cast<float>(cycles);
    };
    pass(spread.home, column);
    for_each_board(tree, [&](unsigned board) {
      for_each_branch(machine_, spread.home, tree, board,
                      [&](unsigned direction, unsigned next) { pass(next, direction); });
    });
    r.links[index(Way::key)] = static_cast<float>((std::popcount(tree) - 1) * link_cycles(false));
    r.links[index(Way::key_and_masks)] = r.links[index(Way::key)];
    r.inputs[index(Way::key_and_masks)] += r.inputs[index(Way::key)];
  }
  Load& link(unsigned board, unsigned direction) { return links_[board * 4 + direction]; }

  /// Cycles for which the busiest of each resource is busy. Links and inputs are known for one kind of
  /// messages alone; those of several kinds are taken to load them in proportion.
  Amounts busiest(const std::vector<Way>& way) const {
    std::vector<double> thread(work_.begin(), work_.end());
    std::array<double, kKinds> links{}, inputs{}, all_links{}, all_inputs{};
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Row& r = rows_[row];
      const std::size_t w = index(way[row]);
      thread[r.thread] += costs::kSend * r.sends[w];
      if (!r.leaves_home) continue;
      links[kind_of(way[row])] += r.links[w], inputs[kind_of(way[row])] += r.inputs[w];
      for (const Way alone : {Way::threads, Way::masks, Way::key}) {
        all_links[kind_of(alone)] += r.links[index(alone)];
        all_inputs[kind_of(alone)] += r.inputs[index(alone)];
      }
    }
    Amounts busy{};
    for (std::size_t core = 0; core < thread.size(); core += machine_.threads_per_core) {
      double sum = 0;
      for (unsigned t = 0; t < machine_.threads_per_core; ++t) {
        sum += thread[core + t];
        busy[kThreads] = std::max(busy[kThreads], costs::kThreadCycles * thread[core + t]);
      }
      busy[kCores] = std::max(busy[kCores], sum);
    }
    const auto most_of = [](const auto& loads, const auto& part, const auto& all) {
      double most = 0;
      for (const Load& load : loads) {
        double cycles = 0;
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
          if (all[kind] != 0) cycles += static_cast<double>(load[kind]) * part[kind] / all[kind];
        }
        most = std::max(most, cycles);
      }
      return most;
    };
    busy[kLinks] = most_of(links_, links, all_links);
    busy[kInputs] = most_of(inputs_, inputs, all_inputs);
    return busy;
  }

  /// Of a cycle of each resource: the fourth power of how busy it is, over all of its kind.
  Amounts prices(const Amounts& busy) const {
    const double most = *std::max_element(busy.begin(), busy.end());
    const double across = static_cast<double>(2 * machine_.boards() - machine_.boards_x - machine_.boards_y);
    const Amounts units = {1.0 * machine_.threads(), 1.0 * machine_.threads() / machine_.threads_per_core,
                           2 * across, static_cast<double>(inputs_.size())};
    Amounts price{};
    for (std::size_t i = 0; i < price.size(); ++i) price[i] = std::pow(busy[i] / most, 4) / units[i];
    return price;
  }

  static Way cheapest(const Row& row, const Amounts& price) {
    if (!row.leaves_home) return Way::masks;
    const double a_send = costs::kSend * (costs::kThreadCycles * price[kThreads] + price[kCores]);
    const auto cost = [&](Way way) {
      const std::size_t w = index(way);
      return row.sends[w] * a_send + row.links[w] * price[kLinks] + row.inputs[w] * price[kInputs];
    };
    return std::min({Way::masks, Way::key_and_masks, Way::key},
                    [&](Way a, Way b) { return cost(a) < cost(b); });
  }

  const Routes& routes_;
  const Machine& machine_;
  const unsigned flits_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> work_;  ///< of each thread but for what it sends, in instructions
  std::array<Load, 64 * 4> links_;   ///< by board and direction
  std::vector<Load> inputs_;         ///< by board, and direction of a link or 4 + column
};

}  // namespace

Pins pins_or_environment(Pins pins) { return environment_or("POLITE_PINS", kPinsNames, pins); }

Sending choose_sending(const GraphStore& graph, const Placement& placement, const Combining& combining,
                       Pins pins, std::size_t message_bytes) {
  const Machine& machine = placement.machine;
  Sending sending;
  sending.pins = pins_or_environment(pins);
  sending.flits = static_cast<unsigned>((message_bytes + 15) / 16);
  if (sending.pins == Pins::distributed && !machine.programmable_routers) {
    throw UserError(
        "pins by distributed multicast (--pins, POLITE_PINS) need programmable routers, and the cluster's "
        "[overlay] table says "
        "programmable_routers = false; allowed: unicast, local, auto");
  }
  const bool keys = machine.programmable_routers && machine.boards() > 1;
  if (sending.pins == Pins::local || (sending.pins != Pins::unicast && !keys)) return sending;
  const Routes routes(graph, placement, combining);
  if (sending.pins == Pins::automatic) {
    sending.way = Superstep(routes, machine, sending.flits).cheapest_ways();
    return sending;
  }
  sending.way.assign(routes.rows(), sending.pins == Pins::unicast ? Way::threads : Way::masks);
  if (sending.pins == Pins::unicast) return sending;
  Spread spread(routes, machine);
  for (std::size_t row = 0; row < sending.way.size(); ++row) {
    spread.look(row);
    if (spread.leaves_home()) sending.way[row] = Way::key;
  }
  return sending;
}

double superstep_cycles(const GraphStore& graph, const Placement& placement, const Combining& combining,
                        const Sending& sending) {
  const Routes routes(graph, placement, combining);
  std::vector<Way> way = sending.way;
  way.resize(routes.rows(), Way::masks);
  return Superstep(routes, placement.machine, sending.flits).cycles(way);
}

}  // namespace polyloom::polite
