// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/node.h"

#include <algorithm>

#include "roles/hub/arch/window.h"

namespace polyloom::hub {

using blocks::kNeverCycle;
using fabric::Time;

namespace {

std::uint64_t bits(std::uint64_t address) { return address >> kRuleShift; }

}  // namespace

HubNode::HubNode(const HubParams& params, const HubSite& site)
    : params_(params),
      name_(site.name),
      clock_(params.clock_hz),
      local_(site.name, params_, site.node),
      switch_(site.name, params_, site.links, local_) {
  local_.join(switch_);
  const std::uint64_t all = bits(kWindowBytes) - 1;
  const unsigned n = site.node;
  switch_.rules[static_cast<unsigned>(Port::north)][0] =
      rule(all, bits(address(n, Unit::accelerator0)), bits(address(n, Unit::hub)) - 1);
  switch_.rules[static_cast<unsigned>(Port::local)][0] =
      rule(all, bits(address(n, Unit::hub)), bits(address(n, Unit::hub) + kUnitBytes) - 1);
}

/// The next edge at which something can happen; kNeverCycle: only an arrival that is not known yet.
Cycle HubNode::next_edge() const {
  const Time arrival = switch_.next_arrival();
  const Cycle seen =
      arrival == fabric::kNever ? kNeverCycle : std::max(edge_, clock_.first_edge_from(arrival));
  return std::min(seen, due_);
}

void HubNode::advance(Time until) {
  for (Cycle k; (k = next_edge()) != kNeverCycle && clock_.edge(k) < until;) {
    if (k > edge_) {
      switch_.skipped(k - edge_);
      local_.skipped(k - edge_);
    }
    local_.begin(k);
    const bool network = switch_.step(k, clock_.edge(k), clock_.edge(k + 1));
    const bool local = local_.step(k);
    edge_ = k + 1;
    due_ = local || network ? edge_ : std::max(edge_, local_.next_due());
    ++edges_run_;
  }
  switch_.flush(until);
}

Time HubNode::next_event() const {
  const Cycle k = next_edge();
  return std::min(k == kNeverCycle ? fabric::kNever : clock_.edge(k), switch_.next_departure());
}

std::string HubNode::waiting_for() const {
  const std::string a = switch_.waiting_for(), b = local_.waiting_for();
  return a.empty() || b.empty() ? a + b : a + "; " + b;
}

void HubNode::counters(const fabric::CounterSink& sink) const {
  sink(name_ + ".edges_run", edges_run_);
  switch_.counters(name_ + ".", sink);
  local_.counters(name_ + ".", sink);
}

void HubNode::digest(fabric::Digest& digest) const {
  switch_.digest(digest);
  local_.digest(digest);
}

}  // namespace polyloom::hub
