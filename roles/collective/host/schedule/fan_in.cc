// SPDX-License-Identifier: Apache-2.0
// Joins wider than the operator: partial results through scratch memory, one more phase for each group of
// inputs.
//
//   before   join(a b c d e) -> x                       with 3 inputs
//   after    join(a b c) -> s0 | join(s0 d e) -> x      a phase each
//
// Sums come first; an average divides in the last phase.
#include <fmt/format.h>

#include <algorithm>

#include "fabric/error.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/host/schedule/algorithms.h"

namespace polyloom::collective {
namespace {

using namespace detail;

std::size_t inputs_of(const Work& work) {
  return static_cast<std::size_t>(
      std::count_if(work.flows.begin(), work.flows.end(), [](const Flow& f) { return !f.feeds.empty(); }));
}

Place append(Layout& layout, int rank, int buffer, std::uint64_t bytes, unsigned channel, unsigned channels) {
  const Place place{rank, buffer, layout.bytes};
  layout.pieces.push_back({layout.bytes, bytes, channel, layout.extent(channels)[channel]});
  layout.bytes += bytes;
  return place;
}

/// The links of the chain that a join of the form inputs..., result becomes.
std::vector<Work> chain(const Work& work, Plan& plan, const NodeShape& shape) {
  const int rank = work.joins[0].rank;
  // Partial results go where the result goes: what is combined is read from the other half.
  const int target = work.flows.back().writes.empty() ? kScratch : work.flows.back().writes[0].buffer;
  const int buffer = target == kLow || (target == kRecv && plan.recv_low) ? kLow : kScratch;
  Layout& scratch = (buffer == kLow ? plan.low : plan.scratch)[static_cast<std::size_t>(rank)];
  Combine partial = work.joins[0].combine;
  if (partial.op == ReduceOp::average) partial = {ReduceOp::sum, partial.type, 1};
  std::vector<Work> links;
  std::size_t next = 0;
  const std::size_t inputs = inputs_of(work);
  // What the node itself contributes comes first: later links read a partial result from the same memory
  // engines.
  std::vector<Flow> flows = work.flows;
  std::stable_partition(flows.begin(), flows.end() - 1, [&](const Flow& f) { return f.source.rank == rank; });
  Place before;
  while (next < inputs) {
    Work link{work.bytes, {}, {{rank, partial}}};
    if (!links.empty()) {
      Flow carried;
      carried.source = before;
      carried.routes = {Route{}};
      carried.feeds = {0};
      link.flows.push_back(std::move(carried));
    }
    while (next < inputs && link.flows.size() < shape.operator_inputs) link.flows.push_back(flows[next++]);
    Flow result = flows.back();
    if (next < inputs) {
      before = append(scratch, rank, buffer, work.bytes, static_cast<unsigned>(links.size()) % shape.channels,
                      shape.channels);
      result.routes = {Route{}};
      result.writes = {before};
    } else {
      link.joins[0].combine = work.joins[0].combine;
    }
    link.flows.push_back(std::move(result));
    links.push_back(std::move(link));
  }
  return links;
}

}  // namespace

void limit_fan_in(Plan& plan, const NodeShape& shape) {
  std::vector<Phase> phases;
  for (Phase& phase : plan.phases) {
    const std::size_t first = phases.size();
    phases.resize(first + 1);
    for (Work& work : phase) {
      if (work.joins.empty() || inputs_of(work) <= shape.operator_inputs) {
        phases[first].push_back(std::move(work));
        continue;
      }
      if (shape.operator_inputs < 2 || work.joins.size() > 1) {
        throw UserError(fmt::format("{} streams meet in one operator, the nodes' operators have {} inputs",
                                    inputs_of(work), shape.operator_inputs));
      }
      auto links = chain(work, plan, shape);
      for (std::size_t i = 0; i < links.size(); ++i) add(phases, first + i, std::move(links[i]));
    }
  }
  plan.phases = std::move(phases);
}

}  // namespace polyloom::collective
