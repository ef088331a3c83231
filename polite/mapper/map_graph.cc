// SPDX-License-Identifier: Apache-2.0
// A graph's way onto a machine, step by step.
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

/// Partial receivers must shorten a superstep to this: what waits for what in their trees is not counted.
constexpr double kWorthTrees = 0.75;

}  // namespace

Placement map_graph(const GraphStore& graph, const Machine& machine, const ElementLayout& layout,
                    const MapOptions& options, const std::vector<std::uint32_t>& weights, MapReport* report) {
  const std::vector<std::uint32_t> combined = worth_combining(graph, machine, layout, options);
  check_fits(graph, machine, layout, options, combined);
  Placement placement = place(graph, machine, options, weights, report, combined);
  const auto sending = [&](const Combining& combining) {
    return choose_sending(graph, placement, combining, options.pins, layout.message_bytes);
  };
  combine_fan_in(graph, combined, placement);
  placement.sending = sending(placement.combining);
  if (combined.empty()) return placement;
  // Trees pay where a thread would hear for longer than the rest takes: one message by key may reach all that
  // many partial receivers would have to pass on. All from few threads: there are none.
  const auto cycles = [&](const Combining& combining, const Sending& ways) {
    return superstep_cycles(graph, placement, combining, ways);
  };
  const bool pays = combine_or_environment(options.combine) == Combine::on ||
                    cycles(placement.combining, placement.sending) < kWorthTrees * cycles({}, sending({}));
  if (pays && !placement.combining.empty()) return placement;
  placement = place(graph, machine, options, weights, report);
  placement.sending = sending({});
  return placement;
}

}  // namespace polyloom::polite
