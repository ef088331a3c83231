// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fabric/error.h"
#include "roles/collective/host/schedule/cut.h"

namespace polyloom::collective {
namespace {

/// What a step has given away of one node.
struct Taken {
  Taken(std::size_t lanes, unsigned channels)
      : reads(channels), writes(channels), tx(lanes), memory(channels) {}
  std::vector<bool> reads, writes, tx;
  unsigned inputs = 0, outputs = 0;

  /// Which halves of a channel are read and written, and whether that bears no waiting.
  struct Channel {
    unsigned read = 0, written = 0;
    bool read_urgent = false, write_urgent = false;
    /// A copy inside the node, or a read for a lane that no operator waits for, slows only itself.
    bool clash() const { return (read & written) != 0 && (read_urgent || write_urgent); }
  };
  std::vector<Channel> memory;
};

/// The nodes that a unit changes: copies, until it is known that all of it fits.
class Trial {
 public:
  explicit Trial(const std::vector<Taken>& nodes) : nodes_(nodes) {}
  Taken& operator[](std::size_t rank) { return changed_.try_emplace(rank, nodes_[rank]).first->second; }
  void keep(std::vector<Taken>& nodes) && {
    for (auto& [rank, taken] : changed_) nodes[rank] = std::move(taken);
  }

 private:
  const std::vector<Taken>& nodes_;
  std::map<std::size_t, Taken> changed_;
};

/// A step under construction.
class Filling {
 public:
  Filling(const Topology& topology, const NodeShape& shape) : topology_(topology), shape_(shape) {
    for (const auto& lanes : topology.lanes) taken_.emplace_back(lanes.size(), shape.channels);
    step.together.resize(static_cast<std::size_t>(topology.size()));
  }

  /// Puts the unit into the step if everything it needs is free. waits: streams up to so many bytes may share
  /// a half of a channel with others.
  bool place(const Unit& unit, std::uint64_t waits) {
    if (!units_fit(unit)) return false;
    Trial trial(taken_);
    std::vector<Stream> streams;
    std::vector<OperatorUse> operators;
    for (const Join& join : unit.work->joins) {
      auto& output = trial[index(join.rank)].outputs;
      if (output >= shape_.operator_outputs) return false;
      operators.push_back({join.rank, output++, 0, join.combine});
    }
    for (const UnitFlow& flow : unit.flows) {
      auto stream = place_flow(flow, unit, operators, trial);
      if (!stream || !take_memory(*stream, unit, waits, trial)) return false;
      streams.push_back(std::move(*stream));
    }
    std::move(trial).keep(taken_);
    commit(unit, std::move(streams), operators);
    return true;
  }

  Step step;

 private:
  /// Cheap look before the copy of what is taken: memory engines only.
  bool units_fit(const Unit& unit) const {
    return std::all_of(unit.flows.begin(), unit.flows.end(), [&](const UnitFlow& f) {
      if (unit.bytes > 0 && f.join < 0 && taken_[index(f.rank)].reads[f.read.channel]) return false;
      return std::all_of(f.writes.begin(), f.writes.end(),
                         [&](const Write& w) { return !taken_[index(w.rank)].writes[w.pattern.channel]; });
    });
  }

  std::optional<std::vector<Hop>> place_route(const Route& route, Trial& trial) const {
    std::vector<Hop> hops;
    std::vector<std::pair<std::size_t, std::size_t>> marked;
    for (const Edge& edge : route) {
      const auto& ends = topology_.lanes[index(edge.from)];
      std::vector<bool>& tx = trial[index(edge.from)].tx;
      std::size_t lane = 0;
      while (lane < ends.size() && (ends[lane].peer != edge.to || tx[lane])) ++lane;
      if (lane == ends.size()) {
        for (const auto& [rank, l] : marked) trial[rank].tx[l] = false;
        return std::nullopt;
      }
      tx[lane] = true;
      marked.emplace_back(index(edge.from), lane);
      hops.push_back({edge.from, static_cast<int>(lane), edge.to, ends[lane].lane});
    }
    return hops;
  }

  std::optional<Stream> place_flow(const UnitFlow& flow, const Unit& unit,
                                   std::vector<OperatorUse>& operators, Trial& trial) const {
    Stream stream;
    stream.bytes = unit.bytes;
    stream.rank = flow.rank;
    stream.read = flow.read;
    if (flow.join >= 0) {
      stream.output = static_cast<int>(operators[index(flow.join)].output);
    } else if (unit.bytes > 0) {
      auto read = trial[index(flow.rank)].reads[flow.read.channel];
      if (read) return std::nullopt;
      read = true;
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
      auto written = trial[index(w.rank)].writes[w.pattern.channel];
      if (written) return std::nullopt;
      written = true;
      stream.writes.push_back(w);
    }
    for (const int j : flow.flow->feeds) {
      OperatorUse& use = operators[index(j)];
      unsigned& input = trial[index(use.rank)].inputs;
      if (input >= shape_.operator_inputs) return std::nullopt;
      use.inputs |= std::uint64_t{1} << input;
      stream.feeds.push_back({use.rank, input++});
    }
    stream.eager = unit.bytes > 0 && unit.work->joins.empty() && stream.beat_bytes() <= shape_.eager_bytes;
    return stream;
  }

  /// Notes the halves that the stream uses; false if it or another could not keep up with its lane.
  bool take_memory(const Stream& stream, const Unit& unit, std::uint64_t waits, Trial& trial) const {
    const bool longer = stream.beat_bytes() > waits, joins = !unit.work->joins.empty();
    if (stream.bytes > 0 && stream.output < 0) {
      auto& channel = trial[index(stream.rank)].memory[stream.read.channel];
      channel.read = stream.read.halves(shape_.half_bytes);
      channel.read_urgent = longer && joins;
      if (channel.clash()) return false;
    }
    for (const Write& w : stream.writes) {
      auto& channel = trial[index(w.rank)].memory[w.pattern.channel];
      channel.written = w.pattern.halves(shape_.half_bytes);
      channel.write_urgent = longer && (w.rank != stream.rank || stream.output >= 0);
      if (channel.clash()) return false;
    }
    return true;
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
  std::vector<Taken> taken_;
};

/// A pulse both ways over each lane pair that the step's streams use, once a pair of nodes.
Step pulse_step(const Step& step, const Topology& topology) {
  Step pulses;
  pulses.together.resize(static_cast<std::size_t>(topology.size()));
  std::set<std::pair<int, int>> pairs;
  for (const Stream& s : step.streams) {
    for (const Hop& h : s.hops) {
      pairs.insert({h.from, h.to});
      pairs.insert({h.to, h.from});
    }
  }
  for (const auto& [from, to] : pairs) {
    const int lane = topology.lanes_to(from, to).front();
    Stream pulse;
    pulse.rank = from;
    pulse.hops = {{from, lane, to,
                   topology.lanes[static_cast<std::size_t>(from)][static_cast<std::size_t>(lane)].lane}};
    pulses.streams.push_back(std::move(pulse));
  }
  return pulses;
}

/// A set of ranks.
class Ranks {
 public:
  explicit Ranks(std::size_t size) : words_((size + 63) / 64) {}
  void insert(int rank) { words_[static_cast<std::size_t>(rank) / 64] |= std::uint64_t{1} << (rank % 64); }
  bool contains(std::size_t rank) const { return words_[rank / 64] >> (rank % 64) & 1; }
  void merge(const Ranks& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool operator==(const Ranks&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

/// How many steps of pulses must go before a step so that all streams that meet in an operator begin at
/// nearly the same time, however late some nodes come to it.
///   The source of a joined stream begins when the pulses of all nodes that its node sends to are here. Let
///   B(x) be those nodes and x: x begins max over B(x) of go, plus a link's latency. If all sources of a join
///   have the same B, they begin within a latency of each other. A step of pulses in front makes the go of a
///   node the latest of its neighbours', so each widens B by one hop until it is the same.
unsigned pulses_before(const Step& step, const Topology& topology, const NodeShape& shape) {
  const auto n = static_cast<std::size_t>(topology.size());
  std::vector<Ranks> begins(n, Ranks(n)), near;
  std::vector<std::vector<const OperatorUse*>> joins(n);
  std::map<const OperatorUse*, std::set<int>> met;  // where the joined streams begin
  bool longer = false;
  for (std::size_t r = 0; r < n; ++r) begins[r].insert(static_cast<int>(r));
  near = begins;
  for (const OperatorUse& use : step.operators) joins[static_cast<std::size_t>(use.rank)].push_back(&use);
  for (const Stream& s : step.streams) {
    for (const Hop& h : s.hops) {
      begins[static_cast<std::size_t>(s.rank)].insert(h.to);
      near[static_cast<std::size_t>(h.from)].insert(h.to);
      near[static_cast<std::size_t>(h.to)].insert(h.from);
    }
  }
  for (const Stream& s : step.streams) {
    for (const Feed& f : s.feeds) {
      for (const OperatorUse* use : joins[static_cast<std::size_t>(f.rank)]) {
        if (!(use->inputs >> f.input & 1)) continue;
        met[use].insert(s.rank);
        longer = longer || s.beat_bytes() > shape.rx_bytes;
      }
    }
  }
  if (!longer) return 0;  // each block fits into a buffer and waits there
  for (unsigned count = 0;; ++count) {
    const bool same = std::all_of(met.begin(), met.end(), [&](const auto& join) {
      const std::set<int>& sources = join.second;
      return std::all_of(sources.begin(), sources.end(), [&](int x) {
        return begins[static_cast<std::size_t>(x)] == begins[static_cast<std::size_t>(*sources.begin())];
      });
    });
    if (same || count == n) return count;
    for (Ranks& b : begins) {
      Ranks wider(n);
      for (std::size_t x = 0; x < n; ++x) {
        if (b.contains(x)) wider.merge(near[x]);
      }
      b = std::move(wider);
    }
  }
}

/// Parts of a unit no longer than a receive buffer, for what cannot keep up with its lanes.
std::vector<Unit> in_buffers(const Unit& unit, const NodeShape& shape) {
  std::vector<Unit> parts;
  for (std::uint64_t at = 0; at < unit.bytes; at += shape.rx_bytes) {
    Unit part = unit;
    part.bytes = std::min(shape.rx_bytes, unit.bytes - at);
    for (UnitFlow& f : part.flows) {
      f.read.base += at;
      f.read.run_bytes = static_cast<std::uint32_t>(part.bytes);
      for (Write& w : f.writes) {
        w.pattern.base += at;
        w.pattern.run_bytes = static_cast<std::uint32_t>(part.bytes);
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// What comes by a lane may have to wait in the receive buffer for longer than that holds: lanes that differ
/// bring what a node joins at different times or paces, or take what it relays more slowly than it comes.
bool outruns(const Unit& unit, const NodeShape& shape) {
  if (unit.bytes <= shape.rx_bytes || (shape.even_rates && shape.even_latencies)) return false;
  if (!shape.even_rates && relayed(unit)) return true;
  return std::any_of(unit.flows.begin(), unit.flows.end(),
                     [](const UnitFlow& f) { return !f.flow->feeds.empty() && !f.flow->routes[0].empty(); });
}

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

std::vector<Step> pack(std::vector<Unit> units, const Topology& topology, const NodeShape& shape) {
  std::stable_sort(units.begin(), units.end(),
                   [](const Unit& a, const Unit& b) { return a.bytes > b.bytes; });
  std::vector<Filling> steps;
  // Into the first step from `at` on that has room, if any has.
  const auto place = [&](const Unit& unit, std::size_t& at) {
    while (at < steps.size() && !steps[at].place(unit, shape.rx_bytes / 4)) ++at;
    return at < steps.size();
  };
  for (const Unit& unit : units) {
    std::size_t at = 0;
    if (outruns(unit, shape)) {
      for (const Unit& part :
           in_buffers(unit, shape)) {  // they share their ways, so each in a step of its own
        if (!place(part, at)) {
          steps.emplace_back(topology, shape);
          if (!steps.back().place(part, shape.rx_bytes)) refuse(unit, topology, shape);
        }
        ++at;
      }
      continue;
    }
    if (place(unit, at)) continue;
    steps.emplace_back(topology, shape);
    if (steps.back().place(unit, shape.rx_bytes)) continue;
    if (unit.work->joins.empty() || unit.bytes <= shape.rx_bytes) refuse(unit, topology, shape);
    steps.pop_back();
    for (const Unit& part : in_buffers(unit, shape)) {
      steps.emplace_back(topology, shape);
      if (!steps.back().place(part, shape.rx_bytes)) refuse(unit, topology, shape);
    }
  }
  std::vector<Step> made;
  for (Filling& filling : steps) made.push_back(std::move(filling.step));
  return made;
}

std::vector<Step> synchronise(std::vector<Step> steps, const Topology& topology, const NodeShape& shape) {
  std::vector<Step> all;
  for (Step& step : steps) {
    const unsigned before = pulses_before(step, topology, shape);
    for (unsigned i = 0; i < before; ++i) all.push_back(pulse_step(step, topology));
    all.push_back(std::move(step));
  }
  return all;
}

void settle_eager(Schedule& schedule, Undrained& lanes) {
  for (Step& step : schedule.steps) {
    for (Stream& s : step.streams) {
      if (s.bytes == 0) continue;  // a pulse: nothing to drain
      s.eager = s.eager && std::none_of(s.hops.begin(), s.hops.end(), [&](const Hop& h) {
                  return lanes.count({h.from, h.tx}) != 0;
                });
      for (const Hop& h : s.hops) {
        if (!s.eager) lanes.insert({h.from, h.tx});
      }
    }
  }
}

unsigned Pattern::halves(std::uint64_t half_bytes) const {
  const auto last =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(base) + stride * (std::int64_t{runs} - 1));
  const std::uint64_t low = std::min(base, last), high = std::max(base, last) + std::max(1u, run_bytes) - 1;
  return (low < half_bytes ? 1u : 0u) | (high >= half_bytes ? 2u : 0u);
}

std::uint64_t Stream::beat_bytes() const {
  const Pattern& p = output < 0 || writes.empty() ? read : writes[0].pattern;
  return p.run_bytes == 0 ? round_to_beats(bytes) : round_to_beats(p.run_bytes) * p.runs;
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
