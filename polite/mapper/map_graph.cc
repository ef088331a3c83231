// SPDX-License-Identifier: Apache-2.0
// A graph's way onto a machine, step by step.
#include <utility>

#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

/// Partial receivers must shorten a superstep to this: what waits for what in their trees is not counted.
constexpr double kWorthTrees = 0.75;

}  // namespace

Placement map_graph(const GraphStore& graph, const Machine& machine, const ElementLayout& layout,
                    const MapOptions& options, const std::vector<std::uint32_t>& weights, MapReport* report) {
  graph.sort();
  const std::vector<std::uint32_t> combined = worth_combining(graph, machine, layout, options);
  check_fits(graph, machine, layout, options, combined);
  const auto map = [&](const std::vector<std::uint32_t>& with, MapReport& reported) {
    Placement placement = place(graph, machine, options, weights, &reported, with);
    combine_fan_in(graph, with, placement);
    placement.sending = choose_sending(graph, placement, placement.combining, options.pins,
                                       layout.message_bytes, layout.may_be_direct);
    return placement;
  };
  const auto cycles = [&](const Placement& placement) {
    return superstep_cycles(graph, placement, placement.combining, placement.sending);
  };
  MapReport reported, reported_plain;
  Placement placement = map(combined, reported);
  if (!combined.empty()) {
    // Vertices that are to be combined bind no vertex near them, so each of the two ways has a placement of
    // its own. Where all in-edges come from few threads, there are no trees, and the plain one is better.
    const bool must = combine_or_environment(options.combine) == Combine::on && !placement.combining.empty();
    Placement plain = must ? Placement{} : map({}, reported_plain);
    if (!must && (placement.combining.empty() || cycles(placement) > kWorthTrees * cycles(plain))) {
      placement = std::move(plain);
      reported_plain.place_seconds += reported.place_seconds;
      reported = reported_plain;
    }
  }
  if (report != nullptr) *report = reported;
  return placement;
}

}  // namespace polyloom::polite
