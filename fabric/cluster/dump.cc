// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "fabric/cluster/units.h"
#include "fabric/json_text.h"

namespace polyloom::fabric {
namespace {

using json = nlohmann::ordered_json;

json to_json(const Value& value) {
  switch (value.kind) {
    case Value::Kind::boolean:
      return value.boolean;
    case Value::Kind::integer:
      return value.integer;
    case Value::Kind::real:
      return value.real;
    case Value::Kind::string:
      return value.string;
    case Value::Kind::array: {
      json out = json::array();
      for (const Value& item : value.items) out.push_back(to_json(item));
      return out;
    }
    case Value::Kind::table: {
      json out = json::object();
      for (const auto& [key, member] : value.members) out[key] = to_json(member);
      return out;
    }
  }
  return nullptr;
}

// Role tables in force, each distinct one once, and which of them a node has.
class RoleTables {
 public:
  explicit RoleTables(const ClusterSpec& spec) {
    for (const ClusterNode& node : spec.nodes) {
      if (node.kind != NodeKind::fpga) continue;
      const std::string text = node.role_table.text(std::string::npos);
      auto& texts = texts_[node.role];
      std::size_t i = 0;
      while (i < texts.size() && texts[i] != text) ++i;
      if (i == texts.size()) {
        texts.push_back(text);
        tables[node.role].push_back(&node.role_table);
      }
      index.push_back(static_cast<int>(i));
    }
  }
  std::map<std::string, std::vector<const Value*>> tables;
  std::vector<int> index;  ///< by FPGA, in order of node

 private:
  std::map<std::string, std::vector<std::string>> texts_;
};

json node_json(const ClusterNode& node, int table) {
  json out;
  out["name"] = node.name;
  out["kind"] = name_of(node.kind);
  if (node.kind == NodeKind::fpga) {
    out["role"] = node.role;
    out["fidelity"] = name_of(node.fidelity);
    out["table"] = table;
    out["clocks_hz"] = json::object();
    for (const auto& [clock, hz] : node.clocks) out["clocks_hz"][clock] = hz;
    out["host_port"] = node.host_port;
  }
  if (!node.position.empty()) out["position"] = node.position;
  if (node.rank >= 0) out["rank"] = node.rank;
  out["ports"] = node.ports;
  return out;
}

json link_json(const ClusterSpec& spec, const ClusterLink& link) {
  const auto end = [&](int node, int port) {
    return json{{"node", spec.nodes[static_cast<std::size_t>(node)].name}, {"port", port}};
  };
  return json{{"name", link.name},
              {"a", end(link.node_a, link.port_a)},
              {"b", end(link.node_b, link.port_b)},
              {"to_host", link.to_host},
              {"protocol", link.quality.protocol},
              {"latency_ps", link.quality.latency},
              {"rate_bps", link.quality.rate_bps},
              {"word_period_ps", link.quality.word_period()},
              {"bit_error_rate", link.quality.bit_error_rate},
              {"drop_rate", link.quality.drop_rate}};
}

struct LinkSort {
  int count = 0;
  const LinkQuality* quality = nullptr;
  bool to_host = false;
};

std::vector<LinkSort> link_sorts(const ClusterSpec& spec) {
  std::map<std::tuple<bool, std::string, Time, std::uint64_t, double, double>, LinkSort> sorts;
  for (const ClusterLink& link : spec.links) {
    const LinkQuality& q = link.quality;
    LinkSort& sort = sorts[{link.to_host, q.protocol, q.latency, q.rate_bps, q.bit_error_rate, q.drop_rate}];
    ++sort.count;
    sort.quality = &q;
    sort.to_host = link.to_host;
  }
  std::vector<LinkSort> result;
  for (const auto& [key, sort] : sorts) result.push_back(sort);
  return result;
}

std::string sizes_text(const Topology& topology) {
  std::string out;
  for (const int k : topology.size) out += (out.empty() ? " " : " x ") + std::to_string(k);
  if (std::any_of(topology.links.begin(), topology.links.end(), [](int m) { return m > 1; })) {
    std::string links;
    for (const int m : topology.links) links += (links.empty() ? ", links " : " x ") + std::to_string(m);
    out += links;
  }
  return out;
}

std::string table_text(const std::string& name, const Value& table) {
  std::string out = fmt::format("\n[{}]\n", name), tables;
  for (const auto& [key, member] : table.members) {
    if (member.kind == Value::Kind::table) {
      tables += table_text(name + "." + key, member);
    } else {
      out += fmt::format("  {} = {}\n", key, member.text());
    }
  }
  return out + tables;
}

}  // namespace

std::string to_json(const ClusterSpec& spec, int indent) {
  const RoleTables tables(spec);
  json out;
  out["name"] = spec.name;
  out["file"] = spec.file;
  out["version"] = spec.version;
  out["description"] = spec.description;
  out["topology"] = json{{"kind", name_of(spec.topology.kind)}, {"size", spec.topology.size}};
  if (!spec.topology.links.empty()) out["topology"]["links"] = spec.topology.links;
  out["host"] = json{{"clients", spec.host.clients}, {"call_time_ps", spec.host.call_time}};
  if (!spec.nodes_of(NodeKind::network_switch).empty()) {
    out["switch"] = json{{"forward_latency_ps", spec.network_switch.forward_latency},
                         {"queue_bytes", spec.network_switch.queue_bytes}};
  }
  out["memories"] = json::array();
  for (const MemorySpec& memory : spec.memories) {
    out["memories"].push_back(json{{"name", memory.name},
                                   {"kind", memory.kind},
                                   {"channels", memory.channels},
                                   {"size_bytes", memory.bytes_per_channel}});
  }
  if (!spec.config.empty()) out["config"] = spec.config;
  out["roles"] = json::object();
  for (const auto& [role, values] : tables.tables) {
    out["roles"][role] = json::array();
    for (const Value* value : values) out["roles"][role].push_back(to_json(*value));
  }
  out["nodes"] = json::array();
  std::size_t fpga = 0;
  for (const ClusterNode& node : spec.nodes) {
    out["nodes"].push_back(node_json(node, node.kind == NodeKind::fpga ? tables.index[fpga++] : -1));
  }
  out["links"] = json::array();
  for (const ClusterLink& link : spec.links) out["links"].push_back(link_json(spec, link));
  return json_text(out, indent);
}

std::string latency_line(const ClusterSpec& spec) {
  std::map<std::pair<bool, Time>, int> counts;
  for (const ClusterLink& link : spec.links) ++counts[{link.to_host, link.quality.latency}];
  std::string out;
  for (const auto& [key, count] : counts) {
    out += fmt::format("{}{}{} x {}", out.empty() ? "" : ", ", key.first ? "host " : "",
                       format_duration(key.second), count);
  }
  return out.empty() ? "no links" : out;
}

std::string fidelity_line(const ClusterSpec& spec) {
  const std::vector<int> fpgas = spec.nodes_of(NodeKind::fpga);
  const auto rtl = std::count_if(fpgas.begin(), fpgas.end(), [&](int k) {
    return spec.nodes[static_cast<std::size_t>(k)].fidelity == Fidelity::rtl;
  });
  const auto all = static_cast<std::ptrdiff_t>(fpgas.size());
  if (rtl != 0 && rtl != all) return fmt::format("mixed, {} of {} rtl", rtl, all);
  return rtl == 0 ? "sim" : "rtl";
}

std::string to_text(const ClusterSpec& spec) {
  const RoleTables tables(spec);
  std::string out = fmt::format("cluster   {}\nfile      {}\n", spec.name, spec.file);
  if (!spec.description.empty()) out += fmt::format("about     {}\n", spec.description);
  out += fmt::format("topology  {}{}\n", name_of(spec.topology.kind), sizes_text(spec.topology));
  out += fmt::format("host      {} to a call, {} client{}\n", format_duration(spec.host.call_time),
                     spec.host.clients, spec.host.clients == 1 ? "" : "s");
  out += "\nnodes\n";
  std::map<std::string, std::pair<int, std::string>> sorts;
  for (const ClusterNode& node : spec.nodes) {
    std::string sort = name_of(node.kind);
    if (node.kind == NodeKind::fpga) {
      sort +=
          fmt::format(" {} {} at {}", node.role, name_of(node.fidelity), format_frequency(node.clock_hz()));
    }
    auto& [count, names] = sorts[sort];
    if (++count <= 6) names += " " + node.name;
    if (count == 7) names += " ...";
  }
  for (const auto& [sort, entry] : sorts)
    out += fmt::format("  {:5} x {:32}{}\n", entry.first, sort, entry.second);
  out += "\nlinks\n";
  for (const LinkSort& sort : link_sorts(spec)) {
    out += fmt::format("  {:5} x {:8} {:10} latency {:9} rate {:9}", sort.count,
                       sort.to_host ? "host" : "network", sort.quality->protocol,
                       format_duration(sort.quality->latency), format_rate(sort.quality->rate_bps));
    if (sort.quality->bit_error_rate > 0)
      out += fmt::format(" bit errors {:g}", sort.quality->bit_error_rate);
    if (sort.quality->drop_rate > 0) out += fmt::format(" drops {:g}", sort.quality->drop_rate);
    out += "\n";
  }
  for (const MemorySpec& memory : spec.memories) {
    out += fmt::format("\nmemory    {}: {} x {} of {}\n", memory.name, memory.channels,
                       format_bytes(memory.bytes_per_channel), memory.kind);
  }
  for (const auto& [role, values] : tables.tables) {
    for (const Value* value : values) {
      out += table_text(role, *value);
    }
  }
  return out;
}

}  // namespace polyloom::fabric
