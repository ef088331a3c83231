// SPDX-License-Identifier: Apache-2.0
// How rows of messages leave: to threads, to mailboxes by masks, or by routing keys.
//
// A key spares the sender messages, and the links all but one message each; it costs routers a look-up on
// each board, and what it brings to the sender's own board a way through its router. What that is worth
// depends on what the graph keeps busy. So each row takes the way that is cheapest at prices of what there
// is: threads, cores, links, inputs of routers. The price of each is high where a superstep would wait for
// it. A few rounds of rows and prices settle. Their best competes with all rows alike, by masks, by keys or,
// where messages may be direct, to threads (which spares memories the in-edge tables). Source: Multicast
// paper V.D (keys where a pin leaves its board); prices as in the dual of a linear program.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "fabric/error.h"
#include "fabric/parallel.h"
#include "polite/mapper/costs.h"
#include "polite/mapper/environment.h"
#include "polite/mapper/spread.h"

namespace polyloom::polite {

namespace {

/// What messages need.
enum Resource { kThreads, kCores, kMemories, kLinks, kInputs, kResources };
using Amounts = std::array<double, kResources>;
constexpr std::size_t kWays = 5;
constexpr Way kByKey[] = {Way::key_and_masks, Way::key, Way::key_and_threads};
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
        heard_(machine.threads(), 0),
        heard_by_many_(machine.threads(), 0),
        received_(machine.threads(), 0),
        inputs_(std::size_t{machine.boards()} * (4 + machine.tiles_x)) {
    for (const std::uint32_t thread : routes.thread)
      work_[thread] += static_cast<std::uint64_t>(costs::kVertex);
    fabric::parallel_for(kBlocks, fabric::host_threads(0), [&](std::size_t block) { look_at(block); });
  }

  /// Sets the ways, and whether messages are direct, which they may be.
  void choose(Sending& sending, bool may_be_direct, bool keys) const {
    std::vector<Way> way(rows_.size(), Way::masks);
    double shortest = HUGE_VAL;
    const auto consider = [&](bool direct) {
      const Amounts busy = busiest(way, direct);
      const double length = *std::max_element(busy.begin(), busy.end());
      if (length < shortest) sending.way = way, sending.direct = direct, shortest = length;
      return busy;
    };
    Amounts busy = consider(false);
    if (may_be_direct) {
      way = direct_ways(keys);
      consider(true);
    }
    if (!keys) return;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      way[row] = rows_[row].leaves_home ? Way::key : Way::masks;
    consider(false);
    // What rows of several ways make of a link is estimated while prices settle, and counted at the end.
    std::vector<Way> mixed;
    double mixed_length = shortest;
    for (int round = 0; round < kRounds; ++round) {
      const Amounts price = prices(busy);
      for (std::size_t row = 0; row < rows_.size(); ++row) way[row] = cheapest(rows_[row], price);
      busy = busiest(way, false);
      const double length = *std::max_element(busy.begin(), busy.end());
      if (length < mixed_length) mixed = way, mixed_length = length;
    }
    if (mixed.empty()) return;
    way = mixed;
    const Loads counted = loads_of(way);
    busy = busiest(way, false, &counted);
    if (*std::max_element(busy.begin(), busy.end()) < shortest) sending.way = way, sending.direct = false;
  }
  std::vector<Way> direct_ways(bool keys) const {
    std::vector<Way> way(rows_.size(), Way::threads);
    for (std::size_t row = 0; row < rows_.size() && keys; ++row) {
      if (rows_[row].leaves_home && rows_[row].most_away <= kMostCopies) way[row] = Way::key_and_threads;
    }
    return way;
  }
  double cycles(const Sending& sending) const {
    std::vector<Way> way = sending.way;
    way.resize(rows_.size(), Way::masks);
    const Loads counted = loads_of(way);
    const Amounts busy = busiest(way, sending.direct, &counted);
    return *std::max_element(busy.begin(), busy.end());
  }

 private:
  static constexpr std::size_t kBlocks = 64;
  static constexpr int kRounds = 4;
  /// What a row needs by each of its ways: messages of the sender, cycles of all links, and of all inputs of
  /// board routers.
  struct Row {
    std::uint32_t thread;
    bool leaves_home = false;
    std::uint32_t most_away = 0;  ///< threads that hear it on one other board
    std::array<std::uint32_t, kWays> sends{};
    std::array<float, kWays> links{}, inputs{};
  };
  /// Cycles of a link or an input if all rows that leave their board do so in one way.
  using Load = std::array<std::uint64_t, kWays>;
  /// Cycles of each link and input.
  struct Loads {
    std::vector<std::uint64_t> links, inputs;
  };

  double link_cycles(bool with_mask) const { return costs::kLinkWord * (1 + with_mask + 2 * flits_); }
  std::size_t input(unsigned board, unsigned from) const {
    return std::size_t{board} * (4 + machine_.tiles_x) + from;
  }
  static std::size_t link(unsigned board, unsigned direction) { return board * 4 + direction; }

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
        const std::uint32_t thread = spread.away[i].first;
        work(thread, first ? costs::kReceive : costs::kFurther);
        const bool many = first && i + 1 < spread.away.size() && spread.away[i + 1].first == thread;
        std::atomic_ref(heard_[thread]).fetch_add(first);
        std::atomic_ref(heard_by_many_[thread]).fetch_add(many);
        std::atomic_ref(received_[thread]).fetch_add(1);
      }
      work(r.thread, costs::kCombine * static_cast<double>(routes_.targets(row).size() - spread.away.size()));
      r.leaves_home = spread.leaves_home();
      for (std::size_t w = 0; w < kWays; ++w)
        r.sends[w] = spread.away.empty() ? 0 : spread.sends(static_cast<Way>(w));
      if (r.leaves_home) look_outside(spread, r);
    }
  }

  /// Whole cycles: their sum does not depend on the order of host threads.
  static void add_cycles(std::uint64_t& to, double cycles) {
    std::atomic_ref(to).fetch_add(static_cast<std::uint64_t>(std::lround(cycles)), std::memory_order_relaxed);
  }

  void look_outside(const Spread& spread, Row& r) {
    for_each_board(spread.boards & ~board_bit(spread.home),
                   [&](unsigned to) { r.most_away = std::max(r.most_away, spread.threads_on[to]); });
    const auto add = [](std::uint64_t& to, float& all, double cycles) {
      add_cycles(to, cycles);
      all += static_cast<float>(cycles);
    };
    for_each_load(
        spread, r.thread,
        [&](Way way, std::size_t at, double c) { add(links_[at][index(way)], r.links[index(way)], c); },
        [&](Way way, std::size_t at, double c) { add(inputs_[at][index(way)], r.inputs[index(way)], c); });
  }

  /// What a row that leaves its board does to links and inputs: on_link(way, link, cycles), on_input(way,
  /// input, cycles).
  template <typename OnLink, typename OnInput>
  void for_each_load(const Spread& spread, std::uint32_t thread, OnLink&& on_link, OnInput&& on_input) const {
    const unsigned column = 4 + thread / machine_.threads_per_tile() % machine_.tiles_x;
    const auto one_by_one = [&](Way way, unsigned to, unsigned messages, bool with_mask) {
      const double flits = static_cast<double>(messages) * flits_;
      on_input(way, input(spread.home, column), flits);
      for_each_link(machine_, spread.home, to, [&](unsigned board, unsigned direction, unsigned next) {
        on_link(way, link(board, direction), messages * link_cycles(with_mask));
        on_input(way, input(next, direction), flits);
      });
    };
    for_each_board(spread.boards & ~board_bit(spread.home), [&](unsigned to) {
      one_by_one(Way::threads, to, spread.threads_on[to], false);
      // One thread's bit travels in the header.
      one_by_one(Way::masks, to, spread.mailboxes_on[to], spread.threads_on[to] > spread.mailboxes_on[to]);
    });
    const Boards tree = tree_to(machine_, spread.home, spread.boards);
    const auto pass = [&](unsigned board, unsigned from) {
      unsigned links = 0;
      for_each_branch(machine_, spread.home, tree, board, [&](unsigned direction, unsigned) {
        for (const Way way : kByKey) on_link(way, link(board, direction), link_cycles(false));
        ++links;
      });
      for (const Way way : kByKey) {
        unsigned copies = links;
        if (holds(spread.boards, board) && (board != spread.home || way == Way::key))
          copies += way == Way::key_and_threads ? spread.threads_on[board] : spread.mailboxes_on[board];
        on_input(way, input(board, from), costs::kKey + copies * flits_);
      }
    };
    pass(spread.home, column);
    for_each_board(tree, [&](unsigned board) {
      for_each_branch(machine_, spread.home, tree, board,
                      [&](unsigned direction, unsigned next) { pass(next, direction); });
    });
  }

  /// Counts what links and inputs have to do.
  Loads loads_of(const std::vector<Way>& ways) const {
    Loads loads{std::vector<std::uint64_t>(links_.size(), 0), std::vector<std::uint64_t>(inputs_.size(), 0)};
    fabric::parallel_for(kBlocks, fabric::host_threads(0), [&](std::size_t block) {
      Spread spread(routes_, machine_);
      for (std::size_t row = rows_.size() * block / kBlocks; row < rows_.size() * (block + 1) / kBlocks;
           ++row) {
        if (!rows_[row].leaves_home) continue;
        spread.look(row);
        const auto into = [&](std::vector<std::uint64_t>& load) {
          return [&](Way way, std::size_t at, double cycles) {
            if (way == ways[row]) add_cycles(load[at], cycles);
          };
        };
        for_each_load(spread, rows_[row].thread, into(loads.links), into(loads.inputs));
      }
    });
    return loads;
  }

  /// Cycles for which the busiest of each resource is busy. If links and inputs are not `counted`, rows of
  /// several ways are taken to load each of them as all rows would by each of these ways, in proportion.
  Amounts busiest(const std::vector<Way>& way, bool direct, const Loads* counted = nullptr) const {
    std::vector<double> thread(work_.begin(), work_.end());
    std::array<double, kWays> links{}, inputs{}, all_links{}, all_inputs{};
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Row& r = rows_[row];
      const std::size_t w = index(way[row]);
      thread[r.thread] += costs::kSend * r.sends[w];
      if (!r.leaves_home) continue;
      links[w] += r.links[w], inputs[w] += r.inputs[w];
      for (std::size_t alone = 0; alone < kWays; ++alone)
        all_links[alone] += r.links[alone], all_inputs[alone] += r.inputs[alone];
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
    const unsigned in_slice = machine_.threads_per_board() / machine_.slices;
    for (std::size_t slice = 0; slice < received_.size(); slice += in_slice) {
      double lines = 0;
      for (std::size_t t = slice; t < slice + in_slice; ++t)
        lines += (direct ? heard_by_many_ : heard_)[t] * missed(t);
      busy[kMemories] = std::max(busy[kMemories], costs::kLine * lines);
    }
    const auto most_of = [](const auto& loads, const auto& part, const auto& all) {
      double most = 0;
      for (const Load& load : loads) {
        double cycles = 0;
        for (std::size_t w = 0; w < kWays; ++w) {
          if (all[w] != 0) cycles += static_cast<double>(load[w]) * part[w] / all[w];
        }
        most = std::max(most, cycles);
      }
      return most;
    };
    if (counted != nullptr) {
      busy[kLinks] = static_cast<double>(std::ranges::max(counted->links));
      busy[kInputs] = static_cast<double>(std::ranges::max(counted->inputs));
    } else {
      busy[kLinks] = most_of(links_, links, all_links);
      busy[kInputs] = most_of(inputs_, inputs, all_inputs);
    }
    return busy;
  }

  /// The part of a thread's in-edge table that its cache does not hold.
  double missed(std::size_t thread) const {
    const double bytes = sizeof(std::uint16_t) * static_cast<double>(received_[thread]);
    return std::max(0.0, 1 - costs::kTableBytes / std::max(1.0, bytes));
  }

  /// Of a cycle of each resource: the fourth power of how busy it is, over all of its kind.
  Amounts prices(const Amounts& busy) const {
    const double most = *std::max_element(busy.begin(), busy.end());
    const double across = static_cast<double>(2 * machine_.boards() - machine_.boards_x - machine_.boards_y);
    const Amounts units = {1.0 * machine_.threads(), 1.0 * machine_.threads() / machine_.threads_per_core,
                           1.0 * machine_.boards() * machine_.slices, 2 * across,
                           static_cast<double>(inputs_.size())};
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
  std::vector<std::uint32_t> heard_, heard_by_many_;  ///< by thread: messages, those of them for several
  std::vector<std::uint32_t> received_;               ///< and in-edges
  std::array<Load, 64 * 4> links_{};                  ///< by board and direction
  std::vector<Load> inputs_;                          ///< by board, and direction of a link or 4 + column
};

}  // namespace

Pins pins_or_environment(Pins pins) { return environment_or("POLITE_PINS", kPinsNames, pins); }

Sending choose_sending(const GraphStore& graph, const Placement& placement, const Combining& combining,
                       Pins pins, std::size_t message_bytes, bool may_be_direct) {
  const Machine& machine = placement.machine;
  Sending sending;
  sending.pins = pins_or_environment(pins);
  sending.flits = static_cast<unsigned>((message_bytes + 15) / 16);
  if (sending.pins == Pins::distributed && !machine.programmable_routers) {
    throw UserError(
        "pins by distributed multicast (--pins, POLITE_PINS) need programmable routers, and the cluster's "
        "[overlay] table says "
        "programmable_routers = false; allowed: unicast, local, direct, auto");
  }
  const bool keys = machine.programmable_routers && machine.boards() > 1;
  if (sending.pins == Pins::local || (sending.pins == Pins::distributed && !keys) ||
      (sending.pins == Pins::automatic && !keys && !may_be_direct)) {
    return sending;
  }
  const Routes routes(graph, placement, combining);
  if (sending.pins == Pins::automatic) {
    Superstep(routes, machine, sending.flits).choose(sending, may_be_direct, keys);
    return sending;
  }
  if (sending.pins == Pins::direct) {
    sending.way = Superstep(routes, machine, sending.flits).direct_ways(keys);
    sending.direct = may_be_direct;
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
  return Superstep(Routes(graph, placement, combining), placement.machine, sending.flits).cycles(sending);
}

}  // namespace polyloom::polite
