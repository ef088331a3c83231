// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fabric/error.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/host/schedule/spread.h"

namespace polyloom::collective {
namespace {

using namespace detail;  // the pieces that plans are made of

void plan_barrier(const std::string&, const Situation& s, Plan& plan) {
  for (const int d : dimensions(s.topology)) plan.phases.push_back(pulses(s.topology, {d}));
}

void plan_unicast(const std::string& name, const Situation& s, Plan& plan) {
  const Request& r = s.request;
  const Topology& t = s.topology;
  std::vector<Route> ways = shortest(t, r.root, r.destination);
  if (name == "store") {
    Scratch scratch(t, s.shape.channels);
    const int relay = ways[0][0].to;
    const Place between = scratch.add(relay, r.total(), 0);
    plan.phases.resize(2);
    plan.phases[0] = {move_work({r.root, kSend, 0}, {{ways[0][0]}}, between, r.total())};
    plan.phases[1] = {move_work(between, {{ways[0][1]}}, {r.destination, kRecv, 0}, r.total())};
    plan.scratch = scratch.take();
    return;
  }
  if (name == "striped") ways = disjoint(t, r.root, r.destination);
  // Equal shares; the stream over several links or ways must leave each lane the same amount.
  const std::size_t shares = name == "striped" ? ways.size() : 1;
  std::uint64_t offset = 0;
  const auto sizes = cut_evenly(r.total(), static_cast<unsigned>(shares));
  for (std::size_t i = 0; i < shares; ++i) {
    if (sizes[i] == 0) continue;
    add(plan.phases, 0,
        move_work({r.root, kSend, offset}, name == "striped" ? std::vector<Route>{ways[i]} : ways,
                  {r.destination, kRecv, offset}, sizes[i]));
    offset += sizes[i];
  }
}

/// Scatter and its mirror image, gather.
void plan_scatter(const std::string& name, const Situation& s, Plan& plan) {
  const bool gather = s.request.traits().receives == Holds::blocks;
  const Topology& t = s.topology;
  const int root = s.request.root;
  Scratch scratch(t, s.shape.channels);
  for (const Part& part : sized_parts(s.request.sizes)) {
    if (part.bytes == 0) continue;
    const Place at_root{root, gather ? kRecv : kSend, part.offset};
    const Place at_rank{part.owner, gather ? kSend : kRecv, 0};
    const Place from = gather ? at_rank : at_root, to = gather ? at_root : at_rank;
    if (name != "dimension" || t.adjacent(root, part.owner)) {
      // A neighbour in the root's column waits for the second phase: its lane is the same as the relayed
      // blocks'.
      const bool second =
          name == "dimension" && (gather ? t.y_of(root) == t.y_of(part.owner) && root != part.owner
                                         : t.x_of(root) == t.x_of(part.owner) && root != part.owner);
      add(plan.phases, second ? 1 : 0, move_work(from, shortest(t, from.rank, to.rank), to, part.bytes));
      continue;
    }
    const int relay = t.rank(t.x_of(part.owner), t.y_of(root));
    const Place between = scratch.add(relay, part.bytes, static_cast<unsigned>(t.y_of(part.owner)));
    add(plan.phases, 0, move_work(from, {{{from.rank, relay}}}, between, part.bytes));
    add(plan.phases, 1, move_work(between, {{{relay, to.rank}}}, to, part.bytes));
  }
  plan.scratch = scratch.take();
}

struct AllToAll {
  const Situation& s;
  Plan& plan;
  std::vector<std::vector<std::uint64_t>> send_at, recv_at;  ///< [i][j] offset of block i -> j at its ends

  AllToAll(const Situation& situation, Plan& p) : s(situation), plan(p) {
    const auto n = static_cast<std::size_t>(s.topology.size());
    send_at.assign(n, std::vector<std::uint64_t>(n));
    recv_at = send_at;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t out = 0, in = 0;
      for (std::size_t j = 0; j < n; ++j) {
        send_at[i][j] = out;
        out += s.request.sizes[i * n + j];
        recv_at[j][i] = in;  // offset at i of what comes from j
        in += s.request.sizes[j * n + i];
      }
    }
  }
  std::uint64_t bytes(int i, int j) const {
    return s.request.sizes[static_cast<std::size_t>(i * s.topology.size() + j)];
  }
  Place from(int i, int j, std::uint64_t skip) const {
    return {i, kSend, send_at[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] + skip};
  }
  Place to(int i, int j, std::uint64_t skip) const {
    return {j, kRecv, recv_at[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] + skip};
  }

  /// Blocks in an order in which, by symmetry, those that follow each other use different lanes everywhere:
  /// block (+a, +b) stands in round a + b, so a round has each column distance and each row distance once.
  void cut_through() {
    const Topology& t = s.topology;
    const int rounds = std::max(t.nx, t.ny);
    for (int k = 0; k < rounds; ++k) {
      for (int a = 0; a < t.nx; ++a) {
        for (int b = 0; b < t.ny; ++b) {
          if ((a + b) % rounds != k) continue;
          for (int i = 0; i < t.size(); ++i) {
            const int j = t.rank((t.x_of(i) + a) % t.nx, (t.y_of(i) + b) % t.ny);
            if (bytes(i, j) == 0) continue;
            auto ways = shortest(t, i, j);
            ways.resize(1);  // all by row first: a mix would break the symmetry
            add(plan.phases, 0, move_work(from(i, j, 0), ways, to(i, j, 0), bytes(i, j)));
          }
        }
      }
    }
  }

  /// One dimension after the other, stored in between; `half` of each block (-1: all of it).
  void by_dimension(bool columns_first, int half, Scratch& scratch) {
    const Topology& t = s.topology;
    for (int i = 0; i < t.size(); ++i) {
      for (int j = 0; j < t.size(); ++j) {
        const auto halves = cut_evenly(bytes(i, j), 2);
        const std::uint64_t size = half < 0 ? bytes(i, j) : halves[static_cast<std::size_t>(half)];
        const std::uint64_t skip = half == 1 ? halves[0] : 0;
        if (size == 0) continue;
        const int relay = columns_first ? t.rank(t.x_of(i), t.y_of(j)) : t.rank(t.x_of(j), t.y_of(i));
        if (relay == i || relay == j) {
          const std::size_t phase = relay == i && i != j ? 1 : 0;
          add(plan.phases, phase, move_work(from(i, j, skip), shortest(t, i, j), to(i, j, skip), size));
          continue;
        }
        // In the channel of its origin, as in the receive buffer: while it leaves, blocks of other rows (or
        // columns) come in, whose channels are others.
        const Place between = scratch.add(relay, size, static_cast<unsigned>(i));
        add(plan.phases, 0, move_work(from(i, j, skip), {{{i, relay}}}, between, size));
        add(plan.phases, 1, move_work(between, {{{relay, j}}}, to(i, j, skip), size));
      }
    }
  }
};

void plan_all_to_all(const std::string& name, const Situation& s, Plan& plan) {
  AllToAll exchange(s, plan);
  if (name == "direct" || name == "cut-through") return exchange.cut_through();
  Scratch scratch(s.topology, s.shape.channels);
  if (name == "dimension") {
    exchange.by_dimension(false, -1, scratch);
  } else {
    exchange.by_dimension(false, 0, scratch);
    exchange.by_dimension(true, 1, scratch);
  }
  plan.scratch = scratch.take();
}

// ---- which algorithms there are, when they apply, and what plans them ----

bool always(const Situation&) { return true; }
bool cube(const Situation& s) { return s.topology.nx > 1 && s.topology.ny > 1; }
bool flat(const Situation& s) { return !cube(s); }
bool relays(const Situation& s) { return s.topology.size() > 2; }
/// Streams of so many members meet in one operator.
bool meet(const Situation& s, int members) { return static_cast<int>(s.shape.operator_inputs) >= members; }
int side(const Situation& s) { return std::max(s.topology.nx, s.topology.ny); }

struct Algorithm {
  const char* name;
  bool (*applies)(const Situation&);
};
struct Row {
  Operation operation;
  std::vector<Algorithm> algorithms;
  void (*plan)(const std::string& algorithm, const Situation&, Plan&);
};

const std::vector<Algorithm> kByDimension = {{"dimension", cube}, {"halves", cube}, {"direct", flat}};
const std::vector<Algorithm> kFromOrToRoot = {{"dimension", cube}, {"cut-through", cube}, {"direct", flat}};

const Row kRows[] = {
    {Operation::barrier, {{"dimension", cube}, {"direct", flat}}, plan_barrier},
    {Operation::unicast,
     {{"direct", always},
      {"store",
       [](const Situation& s) { return !s.topology.adjacent(s.request.root, s.request.destination); }},
      {"striped", [](const Situation& s) { return s.request.root != s.request.destination && relays(s); }}},
     plan_unicast},
    {Operation::scatter, kFromOrToRoot, plan_scatter},
    {Operation::gather, kFromOrToRoot, plan_scatter},
    {Operation::broadcast,
     {{"direct", always},
      {"scatter-all-gather", always},
      {"forward", [](const Situation& s) { return flat(s) && relays(s); }}},
     plan_broadcast},
    {Operation::all_to_all,
     {{"dimension", cube}, {"halves", cube}, {"cut-through", cube}, {"direct", flat}},
     plan_all_to_all},
    {Operation::all_gather, kByDimension, plan_all_gather},
    {Operation::reduce,
     {{"dimension", cube},
      {"direct", flat},
      {"scatter-gather", always},
      {"forward", [](const Situation& s) { return flat(s) && relays(s) && meet(s, s.topology.size()); }}},
     plan_reduce},
    {Operation::reduce_scatter, kByDimension, plan_reduce_scatter},
    {Operation::all_reduce,
     {{"aggressive", always},
      {"naive",  // reads all that it combines at once
       [](const Situation& s) { return static_cast<int>(s.shape.channels) >= side(s) && meet(s, side(s)); }},
      {"one-shot", [](const Situation& s) { return meet(s, side(s)); }},
      {"hierarchical", cube},
      {"halves", cube}},
     plan_all_reduce},
};
static_assert(std::size(kRows) == std::size(kOperations), "each operation has a row");

const Row& row_of(const Situation& s) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const Row& row) { return row.operation == s.request.operation; });
}

/// What the nodes lack for a request, in words that say what to change; empty if they can do it.
std::string lacking(const Situation& s) {
  const Request& r = s.request;
  if (!r.reduces() || r.total() == 0) return "";
  if (!s.shape.reduces) {
    return fmt::format(
        "{} combines data by the reduce operator of the nodes, and these have none: name \"reduce\" among "
        "operators in the cluster file's [collective]",
        name_of(r.operation));
  }
  if (s.topology.size() == 1 || s.shape.operator_inputs >= 2) return "";
  return fmt::format(
      "{} combines data by the reduce operator of the nodes, which needs 2 inputs or more, and these have "
      "{}: "
      "give the nodes more memory channels ([memory.*] channels), or operator_inputs in [collective]",
      name_of(r.operation), s.shape.operator_inputs);
}

}  // namespace

void require_operator(const Situation& s) {
  const std::string what = lacking(s);
  if (!what.empty()) throw UserError(what);
}

std::vector<std::string> algorithms(const Situation& s) {
  std::vector<std::string> names;
  if (!lacking(s).empty()) return names;
  for (const Algorithm& one : row_of(s).algorithms) {
    if (one.applies(s)) names.emplace_back(one.name);
  }
  return names;
}

void require_algorithm(const std::string& algorithm, const Situation& s) {
  require_operator(s);
  const auto known = algorithms(s);
  if (std::find(known.begin(), known.end(), algorithm) != known.end()) return;
  throw UserError(fmt::format("{} has no algorithm '{}' on this cluster ({}); it has {}",
                              name_of(s.request.operation), algorithm, s.topology.text(),
                              fmt::join(known, ", ")));
}

Plan phases_of(const std::string& algorithm, const Situation& s) {
  Plan plan;
  plan.algorithm = algorithm;
  plan.scratch.resize(static_cast<std::size_t>(s.topology.size()));
  plan.low = plan.scratch;
  const bool moves = s.request.traits().sizes == SizeKind::none || s.request.total() != 0;
  if (moves) row_of(s).plan(algorithm, s, plan);
  return plan;
}

bool hands_on_integer_sums(const Plan& plan, const Request& request) {
  if (!request.reduces() || request.reduce != ReduceOp::average || request.type != DataType::int32)
    return false;
  for (const Phase& phase : plan.phases) {
    for (const Work& work : phase) {
      for (const Join& join : work.joins) {
        if (join.combine.op == ReduceOp::sum) return true;
      }
    }
  }
  return false;
}

}  // namespace polyloom::collective
