// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "roles/collective/host/schedule/algorithms.h"
#include "roles/collective/timing.h"

namespace polyloom::collective {
namespace {

constexpr Timing kTiming;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Nodes that a stream touches, and the hops to the farthest.
struct Reach {
  std::vector<int> nodes;
  std::vector<int> depth;
  int deepest = 0;
};
Reach reach_of(const Stream& s) {
  Reach r{{s.rank}, {0}, 0};
  for (const Hop& hop : s.hops) {
    const auto parent = std::find(r.nodes.begin(), r.nodes.end(), hop.from) - r.nodes.begin();
    r.nodes.push_back(hop.to);
    r.depth.push_back(r.depth[static_cast<std::size_t>(parent)] + 1);
    r.deepest = std::max(r.deepest, r.depth.back());
  }
  return r;
}

}  // namespace

double CostParameters::pulse() const {
  return link_latency + cycle * (kTiming.go_to_pulse + kTiming.pulse_to_count);
}
double CostParameters::first_hop() const {
  return cycle * (kTiming.begin_to_request + kTiming.switch_cycles) + read_latency + next_hop();
}
double CostParameters::next_hop() const {
  return link_latency + cycle * (kTiming.tx_cycles + kTiming.rx_cycles + kTiming.switch_cycles);
}
double CostParameters::completion() const {
  return write_latency + cycle * (kTiming.write_to_done + kTiming.done_to_go);
}

double predict(const Schedule& schedule, int ranks, const CostParameters& p, double scale) {
  std::vector<double> ready(index(ranks), 0.0);
  for (const Step& step : schedule.steps) {
    std::vector<double> done = ready;
    // Streams that meet in an operator move together: the latest begin of the step's joined streams holds for
    // all.
    double joined = 0;
    std::vector<double> begins;
    for (const Stream& s : step.streams) {
      const Reach reach = reach_of(s);
      double begin = 0;
      for (const int n : reach.nodes) begin = std::max(begin, ready[index(n)]);
      if (!s.hops.empty() && !s.eager) begin += p.pulse() * reach.deepest;
      begins.push_back(begin);
      if (!s.feeds.empty()) joined = std::max(joined, begin + (s.hops.empty() ? 0 : p.first_hop()));
    }
    for (std::size_t i = 0; i < step.streams.size(); ++i) {
      const Stream& s = step.streams[i];
      const Reach reach = reach_of(s);
      if (s.bytes == 0) {
        for (const int n : reach.nodes) done[index(n)] = std::max(done[index(n)], begins[i] + 2 * p.cycle);
        continue;
      }
      const bool combined = !s.feeds.empty() || s.output >= 0;
      double first = begins[i];
      if (s.output >= 0) {
        first = joined + p.operator_latency + p.cycle + (s.hops.empty() ? 0 : p.next_hop());
      } else {
        first += s.hops.empty() ? p.first_hop() - p.next_hop() : p.first_hop();
      }
      const double rate = s.hops.empty() && !combined ? p.memory_rate : std::min(p.memory_rate, p.lane_rate);
      const double stream = scale * static_cast<double>(s.bytes) / rate;
      for (std::size_t k = 0; k < reach.nodes.size(); ++k) {
        const double further = std::max(0, reach.depth[k] - 1) * p.next_hop();
        const double end = first + further + stream + p.completion();
        done[index(reach.nodes[k])] = std::max(done[index(reach.nodes[k])], end);
      }
    }
    ready = std::move(done);
  }
  return ready.empty() ? 0 : *std::max_element(ready.begin(), ready.end());
}

Prepared prepare(const std::string& algorithm, const Request& request, const Topology& topology,
                 const NodeShape& shape) {
  const Situation situation{request, topology, shape};
  Prepared prepared{make_plan(algorithm, situation), preferred_buffers(algorithm, situation), {}};
  // Receive and scratch lie above send in every channel, so that no two buffers share a byte.
  for (int rank = 0; rank < topology.size(); ++rank) {
    Layout& recv = prepared.buffers.recv[index(rank)];
    auto start = prepared.buffers.send[index(rank)].extent(shape.channels);
    recv = recv.moved(start);
    const auto after = recv.extent(shape.channels);
    for (unsigned c = 0; c < shape.channels; ++c) start[c] = std::max(start[c], after[c]);
    prepared.buffers.scratch[index(rank)] = prepared.plan.scratch[index(rank)].moved(start);
  }
  prepared.schedule = pack(prepared.plan, prepared.buffers, topology, shape);
  return prepared;
}

std::vector<Choice> rank_algorithms(const Request& request, const Topology& topology, const NodeShape& shape,
                                    const CostParameters& parameters) {
  std::vector<Choice> choices;
  for (const std::string& name : algorithms(request, topology, shape)) {
    const Prepared prepared = prepare(name, request, topology, shape);
    Choice choice{name, predict(prepared.schedule, topology.size(), parameters),
                  predict(prepared.schedule, topology.size(), parameters, 0.0),
                  prepared.schedule.steps.size(), 0};
    for (int r = 0; r < topology.size(); ++r) {
      for (int l = 0; l < static_cast<int>(topology.lanes[index(r)].size()); ++l) {
        choice.busiest_lane = std::max(choice.busiest_lane, prepared.schedule.lane_bytes(topology, r, l));
      }
    }
    choices.push_back(std::move(choice));
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.seconds < b.seconds; });
  return choices;
}

std::string explain(const std::vector<Choice>& choices, const CostParameters& p) {
  std::string text = fmt::format(
      "model: pulse {:.3f} us, first hop {:.3f} us, further hop {:.3f} us, completion {:.3f} us, lane {:.2f} "
      "Gb/s, "
      "memory stream {:.2f} Gb/s\n",
      p.pulse() * 1e6, p.first_hop() * 1e6, p.next_hop() * 1e6, p.completion() * 1e6, p.lane_rate * 8e-9,
      p.memory_rate * 8e-9);
  text += fmt::format("{:<20} {:>6} {:>12} {:>12} {:>12} {:>14}\n", "algorithm", "steps", "alpha us",
                      "beta us", "time us", "busiest lane B");
  for (const Choice& c : choices) {
    text += fmt::format("{:<20} {:>6} {:>12.3f} {:>12.3f} {:>12.3f} {:>14}\n", c.algorithm, c.steps,
                        c.alpha * 1e6, (c.seconds - c.alpha) * 1e6, c.seconds * 1e6, c.busiest_lane);
  }
  return text;
}

double bus_factor(Operation operation, int ranks) {
  const double n = ranks;
  switch (operation) {
    case Operation::all_reduce:
      return 2 * (n - 1) / n;
    case Operation::reduce_scatter:
    case Operation::all_gather:
    case Operation::all_to_all:
    case Operation::scatter:
    case Operation::gather:
      return (n - 1) / n;
    case Operation::barrier:
      return 0;
    case Operation::unicast:
    case Operation::broadcast:
    case Operation::reduce:
      return 1;
  }
  return 0;
}

}  // namespace polyloom::collective
