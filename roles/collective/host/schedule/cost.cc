// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "roles/collective/arch/timing.h"
#include "roles/collective/host/schedule/timeline.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {
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

Schedule prelude(const Topology& topology, const NodeShape& shape) {
  const Request barrier;
  const Situation situation{barrier, topology, shape};
  Plan plan = make_plan(algorithms(situation).front(), situation);
  for (int i = 0; i < 2; ++i) plan.phases.push_back(detail::pulses(topology, detail::dimensions(topology)));
  return make_schedule(plan, {}, topology, shape);
}

double predict(const Schedule& schedule, const Topology& topology, const CostParameters& p, double scale) {
  constexpr double kHostCall = 2000;  // ranks are started one after the other
  Timeline timeline(topology.size(), p, scale);
  for (int rank = 0; rank < topology.size(); ++rank) timeline.start(rank, rank * kHostCall);
  for (const Step& step : prelude(topology, NodeShape{}).steps) timeline.add(step);
  const double begin = timeline.earliest_done();
  for (const Step& step : schedule.steps) timeline.add(step);
  return (timeline.latest_done() - begin) * p.cycle;
}

std::size_t loads_between(const Schedule& schedule, const Topology& topology, const NodeShape& shape,
                          std::size_t program_size) {
  if (program_size == SIZE_MAX) return 0;
  const auto before = programs(prelude(topology, shape), topology.size(), {0, 0, false});
  const auto codes = programs(schedule, topology.size(), {0, 1, true});
  std::size_t loads = 0;
  for (std::size_t r = 0; r < codes.size(); ++r) {
    loads += (before[r].size() + codes[r].size() - 1) / std::max<std::size_t>(1, program_size);
  }
  return loads;
}

std::vector<Choice> rank_algorithms(const Situation& s, const CostParameters& parameters) {
  const Topology& topology = s.topology;
  std::vector<Choice> choices;
  for (const std::string& name : algorithms(s)) {
    Compiled made = compile(name, s);
    Choice choice{name,
                  predict(made.schedule, topology, parameters),
                  predict(made.schedule, topology, parameters, 0.0),
                  loads_between(made.schedule, topology, s.shape, parameters.program_size),
                  made.schedule.steps.size(),
                  0,
                  std::move(made.plan)};
    choice.seconds += static_cast<double>(choice.loads) * parameters.reload;
    for (int r = 0; r < topology.size(); ++r) {
      for (int l = 0; l < static_cast<int>(topology.lanes[index(r)].size()); ++l) {
        choice.busiest_lane = std::max(choice.busiest_lane, made.schedule.lane_bytes(topology, r, l));
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
      "model{}: pulse {:.3f} us, first hop {:.3f} us, further hop {:.3f} us, completion {:.3f} us, lane "
      "{:.2f} "
      "Gb/s, "
      "memory stream {:.2f} Gb/s\n",
      p.lanes.empty() ? "" : " (the slowest lane; each has its own in the times)", p.pulse() * 1e6,
      p.first_hop() * 1e6, p.next_hop() * 1e6, p.completion() * 1e6, p.lane_rate * 8e-9,
      p.memory_rate * 8e-9);
  text += fmt::format("{:<20} {:>6} {:>12} {:>12} {:>12} {:>14}\n", "algorithm", "steps", "alpha us",
                      "beta us", "time us", "busiest lane B");
  for (const Choice& c : choices) {
    if (c.loads > 0) {
      text += fmt::format("{:<20} {:>6} {:>12} {:>12} {:>12} {:>14}\n", c.algorithm, c.steps, "-", "-", "-",
                          c.busiest_lane);
      continue;
    }
    text += fmt::format("{:<20} {:>6} {:>12.3f} {:>12.3f} {:>12.3f} {:>14}\n", c.algorithm, c.steps,
                        c.alpha * 1e6, (c.seconds - c.alpha) * 1e6, c.seconds * 1e6, c.busiest_lane);
  }
  if (std::any_of(choices.begin(), choices.end(), [](const Choice& c) { return c.loads > 0; })) {
    text += fmt::format(
        "-: a node holds {} instructions (program_size of [collective]) and its program is longer: the host "
        "loads it in parts, which has no model\n",
        p.program_size);
  }
  return text;
}

double bus_factor(Operation operation, int ranks) {
  const double n = ranks;
  switch (traits(operation).bus) {
    case Bus::none:
      return 0;
    case Bus::whole:
      return 1;
    case Bus::share:
      return (n - 1) / n;
    case Bus::twice:
      return 2 * (n - 1) / n;
  }
  return 0;
}

}  // namespace polyloom::collective
