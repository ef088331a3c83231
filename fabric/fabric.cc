// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric.h"

#include <algorithm>
#include <stdexcept>

#include "fabric/error.h"
#include "fabric/trace.h"

namespace polyloom::fabric {
namespace {

void check(const LinkSpec& spec) {
  const auto refuse = [&](const char* key, const std::string& value, const char* allowed) {
    throw UserError("link " + spec.name + ": " + key + " is " + value + "; it must be " + allowed);
  };
  if (spec.latency <= 0) refuse("latency", std::to_string(spec.latency) + " ps", "more than 0 ps");
  if (spec.period <= 0) refuse("word period", std::to_string(spec.period) + " ps", "more than 0 ps");
  if (!(spec.bit_error_rate >= 0 && spec.bit_error_rate <= 1)) {
    refuse("bit error rate", std::to_string(spec.bit_error_rate), "from 0 to 1");
  }
  if (!(spec.drop_rate >= 0 && spec.drop_rate <= 1)) {
    refuse("drop rate", std::to_string(spec.drop_rate), "from 0 to 1");
  }
}

}  // namespace

Fabric::Fabric() = default;
Fabric::~Fabric() = default;

int Fabric::add_node(std::string name, NodeHints hints) {
  nodes_.push_back({std::move(name), hints, nullptr, nullptr});
  if (trace_ != nullptr) nodes_.back().track = trace_->add_track(nodes_.back().name);
  return node_count() - 1;
}

std::pair<Port, Port> Fabric::connect(const LinkSpec& a_to_b, const LinkSpec& b_to_a, int node_a,
                                      int node_b) {
  const auto add = [&](LinkSpec spec, int from, int to) {
    if (spec.name.empty()) {
      spec.name = node_name(from) + "->" + node_name(to);
      const auto parallel = std::count_if(links_.begin(), links_.end(),
                                          [&](const auto& l) { return l->from() == from && l->to() == to; });
      if (parallel != 0) spec.name += "#" + std::to_string(parallel + 1);
    }
    check(spec);
    links_.push_back(std::make_unique<Link>(link_count(), from, to, std::move(spec)));
    if (trace_ != nullptr) links_.back()->trace(trace_->add_link(links_.back()->spec().name));
    return links_.back().get();
  };
  slot(node_a), slot(node_b);  // both must exist
  Link* ab = add(a_to_b, node_a, node_b);
  Link* ba = add(b_to_a, node_b, node_a);
  return {Port{ab->tx(), ba->rx()}, Port{ba->tx(), ab->rx()}};
}

void Fabric::set_node(int id, std::unique_ptr<Node> node) {
  if (!owns(id)) throw std::logic_error("node " + node_name(id) + " belongs to another process");
  nodes_.at(static_cast<std::size_t>(id)).node = std::move(node);
}

Time Fabric::window() const {
  Time least = kNever;
  for (const auto& link : links_) least = std::min(least, link->spec().latency);
  return least == kNever ? 1'000'000 : least;
}

void Fabric::set_partition(int rank, std::vector<int> owners) {
  if (owners.size() != nodes_.size()) throw std::logic_error("a partition needs an owner for each node");
  rank_ = rank;
  owners_ = std::move(owners);
}

void Fabric::set_trace(Trace* trace) {
  trace_ = trace;
  for (const auto& link : links_) {
    link->trace(trace != nullptr ? trace->add_link(link->spec().name) : nullptr);
  }
  for (Slot& slot : nodes_) slot.track = trace != nullptr ? trace->add_track(slot.name) : nullptr;
}

TraceTrack* Fabric::trace_track(int id) { return slot(id).track; }

void link_counters(const Link& link, const CounterSink& sink) {
  const std::string prefix = "link." + link.spec().name + ".";
  const LinkTraffic& traffic = link.traffic();
  sink(prefix + "frames", traffic.frames);
  sink(prefix + "pulses", traffic.pulses);
  sink(prefix + "words", traffic.words);
  sink(prefix + "bits", traffic.bits);
  sink(prefix + "drops", traffic.drops);
  sink(prefix + "bit_errors", traffic.bit_errors);
}

void Fabric::counters(const CounterSink& sink) const {
  for (const Slot& slot : nodes_) {
    if (slot.node != nullptr) slot.node->counters(sink);
  }
  for (const auto& link : links_) {
    if (owns(link->from())) link_counters(*link, sink);
  }
}

}  // namespace polyloom::fabric
