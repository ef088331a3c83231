// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fabric/error.h"
#include "roles/collective/host/schedule/cut.h"

namespace polyloom::collective {
namespace {

/// What a step has given away, per node.
struct Taken {
  Taken(const Topology& topology, const NodeShape& shape)
      : reads(static_cast<std::size_t>(topology.size()), std::vector<bool>(shape.channels)),
        writes(reads),
        inputs(static_cast<std::size_t>(topology.size())),
        outputs(inputs) {
    for (const auto& lanes : topology.lanes) tx.emplace_back(lanes.size());
  }
  std::vector<std::vector<bool>> reads, writes, tx;
  std::vector<unsigned> inputs, outputs;
};

/// A step under construction.
class Filling {
 public:
  Filling(const Topology& topology, const NodeShape& shape)
      : topology_(topology), shape_(shape), taken_(topology, shape) {
    step.together.resize(static_cast<std::size_t>(topology.size()));
  }

  /// Puts the unit into the step if everything it needs is free.
  bool place(const Unit& unit) {
    if (!units_fit(unit)) return false;
    Taken trial = taken_;
    std::vector<Stream> streams;
    std::vector<OperatorUse> operators;
    for (const Join& join : unit.work->joins) {
      auto& output = trial.outputs[index(join.rank)];
      if (output >= shape_.operator_outputs) return false;
      operators.push_back({join.rank, output++, 0, join.combine});
    }
    for (const UnitFlow& flow : unit.flows) {
      auto stream = place_flow(flow, unit, operators, trial);
      if (!stream) return false;
      streams.push_back(std::move(*stream));
    }
    taken_ = std::move(trial);
    commit(unit, std::move(streams), operators);
    return true;
  }

  Step step;

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  /// Cheap look before the copy of what is taken: memory engines only.
  bool units_fit(const Unit& unit) const {
    return std::all_of(unit.flows.begin(), unit.flows.end(), [&](const UnitFlow& f) {
      if (unit.bytes > 0 && f.join < 0 && taken_.reads[index(f.rank)][f.read.channel]) return false;
      return std::all_of(f.writes.begin(), f.writes.end(),
                         [&](const Write& w) { return !taken_.writes[index(w.rank)][w.pattern.channel]; });
    });
  }

  std::optional<std::vector<Hop>> place_route(const Route& route, Taken& trial) const {
    std::vector<Hop> hops;
    std::vector<std::pair<std::size_t, std::size_t>> marked;
    for (const Edge& edge : route) {
      const auto& ends = topology_.lanes[index(edge.from)];
      std::size_t lane = 0;
      while (lane < ends.size() && (ends[lane].peer != edge.to || trial.tx[index(edge.from)][lane])) ++lane;
      if (lane == ends.size()) {
        for (const auto& [rank, l] : marked) trial.tx[rank][l] = false;
        return std::nullopt;
      }
      trial.tx[index(edge.from)][lane] = true;
      marked.emplace_back(index(edge.from), lane);
      hops.push_back({edge.from, static_cast<int>(lane), edge.to, ends[lane].lane});
    }
    return hops;
  }

  std::optional<Stream> place_flow(const UnitFlow& flow, const Unit& unit,
                                   std::vector<OperatorUse>& operators, Taken& trial) const {
    Stream stream;
    stream.bytes = unit.bytes;
    stream.rank = flow.rank;
    stream.read = flow.read;
    if (flow.join >= 0) {
      stream.output = static_cast<int>(operators[index(flow.join)].output);
    } else if (unit.bytes > 0) {
      if (trial.reads[index(flow.rank)][flow.read.channel]) return std::nullopt;
      trial.reads[index(flow.rank)][flow.read.channel] = true;
    }
    bool routed = false;
    for (const Route& route : flow.flow->routes) {
      if (auto hops = place_route(route, trial)) {
        stream.hops = std::move(*hops);
        routed = true;
        break;
      }
    }
    if (!routed) return std::nullopt;
    for (const Write& w : flow.writes) {
      if (trial.writes[index(w.rank)][w.pattern.channel]) return std::nullopt;
      trial.writes[index(w.rank)][w.pattern.channel] = true;
      stream.writes.push_back(w);
    }
    for (const int j : flow.flow->feeds) {
      OperatorUse& use = operators[index(j)];
      unsigned& input = trial.inputs[index(use.rank)];
      if (input >= shape_.operator_inputs) return std::nullopt;
      use.inputs |= std::uint64_t{1} << input;
      stream.feeds.push_back({use.rank, input++});
    }
    const std::uint64_t beats = round_to_beats(std::max(1u, stream.read.run_bytes)) * stream.read.runs;
    stream.eager = unit.bytes > 0 && unit.work->joins.empty() && beats <= shape_.eager_bytes;
    return stream;
  }

  void commit(const Unit& unit, std::vector<Stream> streams, const std::vector<OperatorUse>& operators) {
    step.bytes = std::max(step.bytes, unit.bytes);
    for (Stream& stream : streams) {
      if (!unit.work->joins.empty()) {
        step.together[index(stream.rank)] = true;
        for (const Hop& hop : stream.hops) step.together[index(hop.to)] = true;
      }
      step.streams.push_back(std::move(stream));
    }
    step.operators.insert(step.operators.end(), operators.begin(), operators.end());
  }

  const Topology& topology_;
  const NodeShape& shape_;
  Taken taken_;
};

[[noreturn]] void refuse(const Unit& unit, const Topology& topology, const NodeShape& shape) {
  for (const UnitFlow& flow : unit.flows) {
    for (const Edge& edge : flow.flow->routes[0]) {
      if (topology.lanes_to(edge.from, edge.to).empty()) {
        throw UserError(fmt::format("no lane from rank {} to rank {}", edge.from, edge.to));
      }
    }
  }
  throw UserError(
      fmt::format("a stream joins more than one step of a node can: {} streams and {} reductions at once, "
                  "nodes have {} channels, "
                  "{} operator inputs and {} outputs",
                  unit.flows.size(), unit.work->joins.size(), shape.channels, shape.operator_inputs,
                  shape.operator_outputs));
}

}  // namespace

Schedule pack(const Plan& plan, const Buffers& buffers, const Topology& topology, const NodeShape& shape) {
  Schedule schedule;
  schedule.algorithm = plan.algorithm;
  for (const Phase& phase : plan.phases) {
    std::vector<Unit> units = cut(phase, buffers);
    std::stable_sort(units.begin(), units.end(),
                     [](const Unit& a, const Unit& b) { return a.bytes > b.bytes; });
    std::vector<Filling> steps;
    for (const Unit& unit : units) {
      const bool placed = std::any_of(steps.begin(), steps.end(), [&](Filling& s) { return s.place(unit); });
      if (placed) continue;
      steps.emplace_back(topology, shape);
      if (!steps.back().place(unit)) refuse(unit, topology, shape);
    }
    for (Filling& filling : steps) schedule.steps.push_back(std::move(filling.step));
  }
  return schedule;
}

std::uint64_t Schedule::lane_bytes(const Topology& topology, int rank, int lane) const {
  (void)topology.lanes.at(static_cast<std::size_t>(rank)).at(static_cast<std::size_t>(lane));
  std::uint64_t bytes = 0;
  for (const Step& step : steps) {
    for (const Stream& stream : step.streams) {
      for (const Hop& hop : stream.hops) bytes += hop.from == rank && hop.tx == lane ? stream.bytes : 0;
    }
  }
  return bytes;
}

}  // namespace polyloom::collective
