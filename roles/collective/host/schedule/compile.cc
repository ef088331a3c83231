// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/compile.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "roles/collective/host/schedule/cut.h"

namespace polyloom::collective {
namespace {

/// Buffers one after the other: `wanted`, and what the plan needs in between. Where the second halves begin.
std::uint64_t place(const Plan& plan, Buffers& wanted, const NodeShape& shape) {
  std::uint64_t half = shape.half_bytes == UINT64_MAX ? 0 : shape.half_bytes;
  const auto behind = [&](Layout& layout, std::vector<std::uint64_t>& next) {
    layout = layout.moved(next);
    const auto reach = layout.extent(shape.channels);
    for (unsigned c = 0; c < shape.channels; ++c) next[c] = std::max(next[c], reach[c]);
  };
  wanted.low = plan.low;
  wanted.scratch = plan.scratch;
  for (std::size_t rank = 0; rank < wanted.send.size(); ++rank) {
    std::vector<std::uint64_t> next(shape.channels, 0);
    behind(wanted.send[rank], next);
    behind(wanted.low[rank], next);
    if (plan.recv_low) behind(wanted.recv[rank], next);
    half = std::max(half, *std::max_element(next.begin(), next.end()));
  }
  for (std::size_t rank = 0; rank < wanted.send.size(); ++rank) {
    std::vector<std::uint64_t> next(shape.channels, half);
    behind(wanted.scratch[rank], next);
    if (!plan.recv_low) behind(wanted.recv[rank], next);
  }
  return half;
}

}  // namespace

Plan make_plan(const std::string& algorithm, const Situation& s) {
  require_algorithm(algorithm, s);
  Plan plan = phases_of(algorithm, s);                   // which bytes go where, and which meet
  if (s.request.reduces()) limit_fan_in(plan, s.shape);  // no more meet than an operator has inputs
  return plan;
}

Schedule make_schedule(const Plan& plan, const Buffers& buffers, const Topology& topology,
                       const NodeShape& shape) {
  Schedule schedule{plan.algorithm, {}};
  for (const Phase& phase : plan.phases) {
    std::vector<Unit> units = cut(phase, buffers, shape.even_rates);    // streams of one pattern each
    std::vector<Step> steps = pack(std::move(units), topology, shape);  // what fits goes at once
    steps = synchronise(std::move(steps), topology, shape);             // what meets begins together
    std::move(steps.begin(), steps.end(), std::back_inserter(schedule.steps));
  }
  Undrained lanes;
  settle_eager(schedule, lanes);  // nothing overtakes a block
  return schedule;
}

Compiled compile(const std::string& algorithm, const Situation& s) {
  Compiled made{make_plan(algorithm, s), preferred_buffers(algorithm, s), {}, 0};
  made.half_bytes = place(made.plan, made.buffers, s.shape);
  NodeShape halved = s.shape;
  halved.half_bytes = made.half_bytes;
  made.schedule = make_schedule(made.plan, made.buffers, s.topology, halved);
  return made;
}

}  // namespace polyloom::collective
