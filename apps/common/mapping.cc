// SPDX-License-Identifier: Apache-2.0
#include "apps/common/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/common/mapping_json.h"
#include "apps/common/values_file.h"
#include "roles/overlay/arch/records/records.h"

namespace polyloom::apps {
namespace {

using nlohmann::json;

/// Combined vertices that are told one by one.
constexpr std::size_t kShown = 10;

json forecast_json(const polite::Forecast& forecast) {
  double busiest = 0, sum = 0;
  for (const polite::CoreWork& core : forecast.cores) {
    busiest = std::max(busiest, core.instructions);
    sum += core.instructions;
  }
  return {{"messages", forecast.messages},
          {"busiest_thread_instructions", forecast.busiest_thread},
          {"busiest_core_instructions", busiest},
          {"mean_core_instructions", sum / static_cast<double>(forecast.cores.size())}};
}

const char* name_of(polite::Pins pins) {
  return std::find_if(std::begin(polite::kPinsNames), std::end(polite::kPinsNames),
                      [&](const auto& known) { return known.second == pins; })
      ->first;
}

json pins_json(const Mapping& mapping) {
  polite::RouterTable all, largest;
  for (const polite::RouterTable& board : mapping.routers) {
    all.keys += board.keys, all.beats += board.beats;
    if (board.beats > largest.beats) largest = board;
  }
  const auto table = [](const polite::RouterTable& t) -> json {
    return {{"keys", t.keys}, {"beats", t.beats}, {"bytes", t.beats * overlay::records::kBeatBytes}};
  };
  const polite::BoardTraffic& traffic = mapping.traffic;
  return {{"mode", name_of(mapping.pins)},
          {"senders", traffic.rows},
          {"senders_by_key", traffic.by_key},
          {"tables", table(all)},
          {"largest_table", table(largest)},
          {"messages_between_boards", traffic.messages},
          {"messages_between_boards_at_least", traffic.bound},
          {"messages_between_boards_by_unicast", traffic.unicast},
          {"messages_between_boards_by_local", traffic.local}};
}

/// As counters spell it.
std::string core_name(const polite::Machine& machine, std::size_t core) {
  const std::size_t tile = core / machine.cores_per_tile, board = tile / machine.tiles();
  return fmt::format("fpga.{}.{}.tile.{}.core.{}", board % machine.boards_x, board / machine.boards_x,
                     tile % machine.tiles(), core % machine.cores_per_tile);
}

}  // namespace

Mapping mapping_of(const polite::GraphStore& graph, const polite::Placement& placement,
                   const polite::MapReport& report) {
  const polite::Sending& sending = placement.sending;
  Mapping mapping{placement.machine,
                  polite::trees(graph, placement.combining),
                  polite::forecast(graph, placement, placement.combining, sending),
                  {},
                  sending.pins,
                  polite::board_traffic(graph, placement),
                  report.routers};
  mapping.without =
      placement.combining.empty()
          ? mapping.forecast
          : polite::forecast(graph, placement, {},
                             polite::choose_sending(graph, placement, {}, sending.pins, 16 * sending.flits));
  return mapping;
}

json summary_of(const Mapping& mapping, const polite::VertexNames& names) {
  json trees = json::array();
  std::uint64_t partials = 0;
  for (const polite::Tree& tree : mapping.trees) {
    partials += tree.partials;
    if (trees.size() == kShown) continue;
    trees.push_back({{"vertex", names[tree.vertex]},
                     {"in_edges", tree.in_edges},
                     {"partial_receivers", tree.partials},
                     {"depth", tree.depth}});
  }
  return {{"combined_vertices", mapping.trees.size()},
          {"partial_receivers", partials},
          {"most_heard", trees},
          {"pins", pins_json(mapping)},
          {"forecast", forecast_json(mapping.forecast)},
          {"forecast_without", forecast_json(mapping.without)}};
}

json record_of(const Mapping& mapping, const polite::VertexNames& names) {
  json record = summary_of(mapping, names);
  json cores = json::object();
  for (std::size_t i = 0; i < mapping.forecast.cores.size(); ++i) {
    const polite::CoreWork& core = mapping.forecast.cores[i];
    if (core.vertices + core.partials == 0) continue;
    cores[core_name(mapping.machine, i)] = {{"vertices", core.vertices},
                                            {"partial_receivers", core.partials},
                                            {"instructions", core.instructions},
                                            {"busiest_thread_instructions", core.busiest_thread},
                                            {"heaviest_vertex", names[core.heaviest]},
                                            {"heaviest_vertex_instructions", core.heaviest_instructions}};
  }
  record["cores"] = std::move(cores);
  return record;
}

std::string explanation_of(const Mapping& mapping, const polite::VertexNames& names) {
  const json summary = summary_of(mapping, names);
  const auto forecast = [&](const char* name, const char* key) { return summary[name][key].get<double>(); };
  std::string text;
  if (mapping.trees.empty()) {
    text = "partial receivers: none, every vertex hears its in-edges by itself\n";
  } else {
    text = fmt::format("partial receivers: {}, for the {} vertices with the most in-edges\n",
                       summary["partial_receivers"].get<std::uint64_t>(), mapping.trees.size());
    text += fmt::format("  {:<28} {:>9} {:>18} {:>6}\n", "vertex", "in-edges", "partial receivers", "depth");
    for (std::size_t i = 0; i < std::min(kShown, mapping.trees.size()); ++i) {
      const polite::Tree& tree = mapping.trees[i];
      text += fmt::format("  {:<28} {:>9} {:>18} {:>6}\n", shown(names[tree.vertex]), tree.in_edges,
                          tree.partials, tree.depth);
    }
    if (mapping.trees.size() > kShown) text += fmt::format("  and {} more\n", mapping.trees.size() - kShown);
  }
  text += fmt::format(
      "predicted for a superstep in which all send: {:.0f} messages, busiest thread {:.0f} instructions, "
      "busiest core {:.0f}\n",
      forecast("forecast", "messages"), forecast("forecast", "busiest_thread_instructions"),
      forecast("forecast", "busiest_core_instructions"));
  if (!mapping.trees.empty()) {
    text += fmt::format(
        "  without partial receivers: {:.0f} messages, busiest thread {:.0f} instructions, busiest core "
        "{:.0f}\n",
        forecast("forecast_without", "messages"), forecast("forecast_without", "busiest_thread_instructions"),
        forecast("forecast_without", "busiest_core_instructions"));
  }
  const json& pins = summary["pins"];
  const auto count = [](const json& from, const char* key) { return from[key].get<std::uint64_t>(); };
  text += fmt::format("pins: {}, {} of {} senders by key\n", pins["mode"].get<std::string>(),
                      count(pins, "senders_by_key"), count(pins, "senders"));
  if (const json& all = pins["tables"]; count(all, "keys") != 0) {
    const json& largest = pins["largest_table"];
    text += fmt::format(
        "  routing tables: {} keys in {} beats, {} bytes; of the board with most {} in {}, {} bytes\n",
        count(all, "keys"), count(all, "beats"), count(all, "bytes"), count(largest, "keys"),
        count(largest, "beats"), count(largest, "bytes"));
  }
  return text +
         fmt::format(
             "  messages between boards in a superstep in which all send: {}, at least {}; by unicast {}, by "
             "local multicast {}\n",
             count(pins, "messages_between_boards"), count(pins, "messages_between_boards_at_least"),
             count(pins, "messages_between_boards_by_unicast"),
             count(pins, "messages_between_boards_by_local"));
}

}  // namespace polyloom::apps
