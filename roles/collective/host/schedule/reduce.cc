// SPDX-License-Identifier: Apache-2.0
// Algorithms around the operator: reduce, reduce-scatter, all-reduce; and those that only spread.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "roles/collective/host/schedule/spread.h"

namespace polyloom::collective::detail {
namespace {

using Where = std::function<Place(int rank, const Part& part)>;

/// A stage of an average is a sum, and the last one divides, so integers are rounded once.
Combine combine_of(const Request& r, bool last, int ranks) {
  const bool average = r.reduce == ReduceOp::average;
  return {average && !last ? ReduceOp::sum : r.reduce, r.type,
          average && last ? static_cast<unsigned>(ranks) : 1};
}

/// The streams of `members` meet at `reducer`, whose result goes to `to`, over `way` if that is elsewhere.
Work join_work(std::uint64_t bytes, const std::vector<Place>& inputs, int reducer, const Combine& combine,
               const Place& to, Route way = {}) {
  Work work{bytes, {}, {{reducer, combine}}};
  for (const Place& input : inputs) {
    Flow flow;
    flow.source = input;
    flow.routes = {input.rank == reducer ? Route{} : Route{{input.rank, reducer}}};
    flow.feeds = {0};
    work.flows.push_back(std::move(flow));
  }
  Flow result;
  result.join = 0;
  result.source.rank = reducer;
  result.routes = {std::move(way)};
  result.writes = {to};
  work.flows.push_back(std::move(result));
  return work;
}

/// Each part is combined along the dimensions until its owner has it. from: the contributions; between:
/// partial results; to: the owner's result.
void combine_parts(const Situation& s, const std::vector<Part>& parts, const Dimensions& dims, std::size_t at,
                   const Where& from, const Where& between, const Where& to, std::vector<Phase>& phases) {
  const Topology& t = s.topology;
  for (const Part& part : parts) {
    if (part.bytes == 0) continue;
    std::vector<int> holders;
    for (int rank = 0; rank < t.size(); ++rank) holders.push_back(rank);
    if (dims.empty()) add(phases, at, move_work(from(0, part), {Route{}}, to(0, part), part.bytes));
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const bool last = d + 1 == dims.size();
      std::vector<int> reducers;
      for (const int h : holders) {
        const bool reduces = dims[d] == 0 ? t.x_of(h) == t.x_of(part.owner) : t.y_of(h) == t.y_of(part.owner);
        if (reduces) reducers.push_back(h);
      }
      for (const int reducer : reducers) {
        std::vector<Place> inputs;
        for (const int m : t.group(dims[d], reducer))
          inputs.push_back(d == 0 ? from(m, part) : between(m, part));
        add(phases, at + d,
            join_work(part.bytes, inputs, reducer, combine_of(s.request, last, t.size()),
                      last ? to(reducer, part) : between(reducer, part)));
      }
      holders = std::move(reducers);
    }
  }
}

Place in_vector(int rank, int buffer, const Part& part) { return {rank, buffer, part.offset}; }

/// The vector as it lies in the send buffers; all reductions have one.
std::vector<Layout> send_layouts(const std::string& name, const Situation& s) {
  return preferred_buffers(name, s).send;
}

/// A place in scratch for each (rank, part) that is asked for, laid out as the vector is.
Where in_scratch(Scratch& scratch, const std::vector<Layout>& vectors) {
  return [&, known = std::map<std::pair<int, std::uint64_t>, Place>()](int rank, const Part& p) mutable {
    const auto [it, fresh] = known.try_emplace({rank, p.offset});
    if (fresh) it->second = scratch.like(rank, vectors[static_cast<std::size_t>(rank)], p.offset, p.bytes);
    return it->second;
  };
}

/// Like Scratch::add, in `parts` channels from `first` on, as a striped vector lies: each link brings one.
Place add_striped(Scratch& scratch, int rank, std::uint64_t bytes, unsigned first, unsigned parts) {
  std::optional<Place> place;
  for (const std::uint64_t size : cut_evenly(bytes, parts)) {
    if (size == 0 && place) continue;
    const Place piece = scratch.add(rank, size, first++);
    if (!place) place = piece;
  }
  return *place;
}

/// One dimension with the whole vector, as published: each member combines its share, then the shares spread.
/// naive: the shares are stored and combined from memory.
/// Shares and results alternate between the halves of the channels (plan.h).
void whole_vector(const Situation& s, int dimension, bool first, bool last, bool naive, Scratch& high,
                  Scratch& low, std::vector<Phase>& phases) {
  const Topology& t = s.topology;
  const int source = first ? kSend : kRecv;
  const std::size_t at = phases.size();
  const auto members = static_cast<std::size_t>(dimension == 0 ? t.nx : t.ny);
  const auto vectors = send_layouts(naive ? "naive" : "aggressive", s);
  const auto sizes = cut_evenly(s.request.total(), static_cast<unsigned>(members));
  const unsigned links = std::max(1u, std::min(static_cast<unsigned>(t.multiplicity(dimension)),
                                               s.shape.channels / static_cast<unsigned>(members)));
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < members; offset += sizes[i++]) {
    if (sizes[i] == 0) continue;
    for (int rank = 0; rank < t.size(); ++rank) {
      const auto group = t.group(dimension, rank);
      if (group[i] != rank) continue;
      const Part part{offset, sizes[i], rank};
      std::vector<Place> inputs;
      for (std::size_t m = 0; m < group.size(); ++m) {
        const Place mine = in_vector(group[m], source, part);
        if (naive) {
          const Place stored =
              add_striped(first ? high : low, rank, part.bytes, static_cast<unsigned>(m) * links, links);
          add(phases, at, move_work(mine, shortest(t, group[m], rank), stored, part.bytes));
          inputs.push_back(stored);
        } else {
          inputs.push_back(mine);
        }
      }
      const Place result =
          first != naive ? in_vector(rank, kRecv, part)
                         : low.like(rank, vectors[static_cast<std::size_t>(rank)], part.offset, part.bytes);
      add(phases, at + (naive ? 1 : 0),
          join_work(part.bytes, inputs, rank, combine_of(s.request, last, t.size()), result));
      spread(
          t, {part}, {dimension}, at + (naive ? 2 : 1), [&](const Part&) { return result; },
          [](int r, const Part& p) { return in_vector(r, kRecv, p); }, phases);
    }
  }
}

/// Every member sends all it has to all others, each combines for itself: twice the data, half the start-ups.
/// The second dimension reads what the first has written, so its results take the way over `low`.
void one_shot(const Situation& s, int dimension, bool first, bool last, Scratch& low,
              std::vector<Phase>& phases) {
  const Topology& t = s.topology;
  const auto stripes = preferred_buffers("one-shot", s).recv[0].pieces;
  std::vector<Place> results;
  Phase phase, copies;
  for (int rank = 0; rank < t.size(); ++rank) {
    results.push_back({rank, kRecv, 0});
    for (const Piece& p : stripes) {
      if (first) break;
      const Place place = low.add(rank, p.bytes, p.channel);
      if (p.offset == 0) results.back() = place;
      copies.push_back(move_work(place, {Route{}}, {rank, kRecv, p.offset}, p.bytes));
    }
  }
  for (int rank = 0; rank < t.size(); ++rank) {
    const auto group = t.group(dimension, rank);
    if (group[0] != rank) continue;  // one work a group
    Work work{s.request.total(), {}, {}};
    for (const int m : group) work.joins.push_back({m, combine_of(s.request, last, t.size())});
    for (const int m : group) {
      Flow flow;
      flow.source = {m, first ? kSend : kRecv, 0};
      Route tree;
      for (std::size_t j = 0; j < group.size(); ++j) {
        if (group[j] != m) tree.push_back({m, group[j]});
        flow.feeds.push_back(static_cast<int>(j));
      }
      flow.routes = {std::move(tree)};
      work.flows.push_back(std::move(flow));
    }
    for (std::size_t j = 0; j < group.size(); ++j) {
      Flow result;
      result.join = static_cast<int>(j);
      result.source.rank = group[j];
      result.routes = {Route{}};
      result.writes = {results[static_cast<std::size_t>(group[j])]};
      work.flows.push_back(std::move(result));
    }
    phase.push_back(std::move(work));
  }
  phases.push_back(std::move(phase));
  if (!copies.empty()) phases.push_back(std::move(copies));
}

}  // namespace

void plan_reduce(const std::string& name, const Situation& s, Plan& plan) {
  const Topology& t = s.topology;
  const Request& r = s.request;
  Scratch scratch(t, s.shape.channels), low(t, s.shape.channels, kLow);
  const Where from = [](int rank, const Part& p) { return in_vector(rank, kSend, p); };
  const auto vectors = send_layouts(name, s);
  const Where between = in_scratch(scratch, vectors);
  if (name == "forward") {
    // Each of the others combines a share and its result leaves for the root in the same step.
    const auto sizes = cut_evenly(r.total(), static_cast<unsigned>(t.size() - 1));
    std::uint64_t offset = 0;
    std::size_t i = 0;
    for (int rank = 0; rank < t.size(); ++rank) {
      if (rank == r.root) continue;
      const Part part{offset, sizes[i], rank};
      offset += sizes[i++];
      if (part.bytes == 0) continue;
      std::vector<Place> inputs;
      for (int m = 0; m < t.size(); ++m) inputs.push_back(from(m, part));
      add(plan.phases, 0,
          join_work(part.bytes, inputs, rank, combine_of(r, true, t.size()), in_vector(r.root, kRecv, part),
                    {{rank, r.root}}));
    }
    return;
  }
  if (name != "scatter-gather") {
    plan.recv_low = dimensions(t).size() == 2;  // partial results lie in the second halves
    combine_parts(
        s, {{0, r.total(), r.root}}, dimensions(t), 0, from, between,
        [](int rank, const Part& p) { return in_vector(rank, kRecv, p); }, plan.phases);
  } else {
    const auto parts = even_parts(r.total(), t);
    // The owner's result has a place of its own: partial sums of the part may lie in `between`.
    const bool two = dimensions(t).size() == 2;
    Scratch& pool = two ? low : scratch;
    std::map<int, Place> results;
    const Where to = [&](int rank, const Part& p) {
      if (rank == r.root && !two) return in_vector(rank, kRecv, p);
      const auto [it, fresh] = results.try_emplace(rank);
      if (fresh) it->second = pool.like(rank, vectors[static_cast<std::size_t>(rank)], p.offset, p.bytes);
      return it->second;
    };
    combine_parts(s, parts, dimensions(t), 0, from, between, to, plan.phases);
    const std::size_t at = plan.phases.size();
    for (const Part& p : parts) {
      if ((p.owner == r.root && !two) || p.bytes == 0) continue;
      add(plan.phases, at,
          move_work(to(p.owner, p), shortest(t, p.owner, r.root), in_vector(r.root, kRecv, p), p.bytes));
    }
  }
  plan.scratch = scratch.take();
  plan.low = low.take();
}

void plan_reduce_scatter(const std::string& name, const Situation& s, Plan& plan) {
  const Topology& t = s.topology;
  Scratch scratch(t, s.shape.channels);
  const auto parts = sized_parts(s.request.sizes);
  const Where from = [](int rank, const Part& p) { return in_vector(rank, kSend, p); };
  const auto vectors = send_layouts(name, s);
  const Where between = in_scratch(scratch, vectors);
  const Where to = [&](int rank, const Part& p) {
    return Place{rank, kRecv, p.offset - parts[static_cast<std::size_t>(rank)].offset};
  };
  plan.recv_low = dimensions(t).size() == 2;
  if (name == "halves") {
    combine_parts(s, half_of(parts, 0), dimensions(t), 0, from, between, to, plan.phases);
    combine_parts(s, half_of(parts, 1), dimensions(t, true), 0, from, between, to, plan.phases);
  } else {
    combine_parts(s, parts, dimensions(t), 0, from, between, to, plan.phases);
  }
  plan.scratch = scratch.take();
}

void plan_all_reduce(const std::string& name, const Situation& s, Plan& plan) {
  const Topology& t = s.topology;
  const auto dims = dimensions(t);
  Scratch scratch(t, s.shape.channels), low(t, s.shape.channels, kLow);
  const Where from = [](int rank, const Part& p) { return in_vector(rank, kSend, p); };
  const Where here = [](int rank, const Part& p) { return in_vector(rank, kRecv, p); };
  // The owner's result is made of what lies in recv, and goes from the other half to all.
  const auto vectors = send_layouts(name, s);
  const Where result = in_scratch(low, vectors);
  const auto owned = [&](const Part& p) { return result(p.owner, p); };
  if (dims.empty()) {
    add(plan.phases, 0, move_work({0, kSend, 0}, {Route{}}, {0, kRecv, 0}, s.request.total()));
  } else if (name == "hierarchical") {
    const auto parts = even_parts(s.request.total(), t);
    combine_parts(s, parts, dims, 0, from, here, result, plan.phases);
    spread(t, parts, dimensions(t, true), plan.phases.size(), owned, here, plan.phases);
  } else if (name == "halves") {
    const auto parts = even_parts(s.request.total(), t);
    for (const int half : {0, 1}) {
      combine_parts(s, half_of(parts, half), dimensions(t, half == 1), 0, from, here, result, plan.phases);
      spread(t, half_of(parts, half), dimensions(t, half == 0), dims.size(), owned, here, plan.phases);
    }
  } else {
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const bool first = d == 0, last = d + 1 == dims.size();
      if (name == "one-shot") {
        one_shot(s, dims[d], first, last, low, plan.phases);
      } else {
        whole_vector(s, dims[d], first, last, name == "naive", scratch, low, plan.phases);
      }
    }
  }
  plan.scratch = scratch.take();
  plan.low = low.take();
}

void plan_all_gather(const std::string& name, const Situation& s, Plan& plan) {
  const auto parts = sized_parts(s.request.sizes);
  const auto first = [&](const Part& p) {
    return Place{p.owner, kSend, p.offset - parts[static_cast<std::size_t>(p.owner)].offset};
  };
  const auto here = [](int rank, const Part& p) { return in_vector(rank, kRecv, p); };
  if (name == "halves") {
    spread(s.topology, half_of(parts, 0), dimensions(s.topology), 0, first, here, plan.phases);
    spread(s.topology, half_of(parts, 1), dimensions(s.topology, true), 0, first, here, plan.phases);
  } else {
    spread(s.topology, parts, dimensions(s.topology), 0, first, here, plan.phases);
  }
}

void plan_broadcast(const std::string& name, const Situation& s, Plan& plan) {
  const Topology& t = s.topology;
  const Request& r = s.request;
  const auto here = [&](int rank, const Part& p) {
    return in_vector(rank, rank == r.root ? kSend : kRecv, p);
  };
  const auto tree_of = [&](int from, int first) {  // from `from` over `first` to all others
    Route tree{{from, first}};
    for (int to = 0; to < t.size(); ++to) {
      if (to != from && to != first) tree.push_back({first, to});
    }
    return tree;
  };
  const auto add_tree = [&](Route tree, const Part& part) {
    Work work = move_work(here(r.root, part), {}, {}, part.bytes);
    work.flows[0].writes.clear();
    for (const Edge& e : tree) work.flows[0].writes.push_back(here(e.to, part));
    work.flows[0].routes = {std::move(tree)};
    add(plan.phases, 0, std::move(work));
  };
  if (t.size() == 1) return;
  if (name == "forward") {
    const auto sizes = cut_evenly(r.total(), static_cast<unsigned>(t.size() - 1));
    std::uint64_t offset = 0;
    std::size_t i = 0;
    for (int rank = 0; rank < t.size(); ++rank) {
      if (rank == r.root) continue;
      if (sizes[i] > 0) add_tree(tree_of(r.root, rank), {offset, sizes[i], r.root});
      offset += sizes[i++];
    }
  } else if (name == "direct") {
    Route tree;
    for (const int x : t.group(0, r.root)) {
      if (x != r.root) tree.push_back({r.root, x});
    }
    for (const int x : t.group(0, r.root)) {
      for (const int y : t.group(1, x)) {
        if (y != x) tree.push_back({x, y});
      }
    }
    add_tree(std::move(tree), {0, r.total(), r.root});
  } else {
    const auto parts = even_parts(r.total(), t);
    for (const Part& p : parts) {
      if (p.owner == r.root || p.bytes == 0) continue;
      add(plan.phases, 0,
          move_work(here(r.root, p), shortest(t, r.root, p.owner), here(p.owner, p), p.bytes));
    }
    spread(
        t, parts, dimensions(t), plan.phases.size(), [&](const Part& p) { return here(p.owner, p); }, here,
        plan.phases);
  }
}

}  // namespace polyloom::collective::detail
