// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fabric/cluster/build.h"
#include "fabric/cluster/parse.h"
#include "fabric/cluster/protocol.h"
#include "fabric/cluster/suggest.h"
#include "fabric/cluster/topology.h"
#include "fabric/error.h"
#include "spec/fabric_host_keys.h"
#include "spec/fabric_memory_keys.h"
#include "spec/fabric_network_switch_keys.h"

namespace polyloom::fabric {
namespace {

constexpr Time kNs = 1000, kUs = 1000 * kNs;
constexpr TopologyKind kTopologies[] = {
    TopologyKind::mesh,        TopologyKind::torus,           TopologyKind::ring,
    TopologyKind::double_ring, TopologyKind::fully_connected, TopologyKind::hypercube,
    TopologyKind::star,        TopologyKind::explicit_links};
// In the order of Fidelity.
const std::vector<std::string> kFidelities = {"native", "sim", "rtl", "board"};

Fidelity fidelity_of(const std::string& word) {
  return static_cast<Fidelity>(std::find(kFidelities.begin(), kFidelities.end(), word) - kFidelities.begin());
}

const std::vector<std::string> kSimulated = {"sim", "rtl"};

// Why a fidelity that exists is none of a simulated node; empty for all other words.
std::string why_not_simulated(const std::string& word) {
  if (word == "board") return "no node runs on a board yet";
  if (word == "native") return "a native run has no cluster (--on native)";
  return "";
}

Fidelity read_fidelity(Table& table, Fidelity fallback) {
  const std::string word = table.text("fidelity", std::string(name_of(fallback)));
  if (const std::string why = why_not_simulated(word); !why.empty())
    table.fail("fidelity", why, joined(kSimulated));
  return fidelity_of(table.choice("fidelity", word, kSimulated));
}

// Defaults of every FPGA, and what a [[node]] may set over them.
struct FpgaDefaults {
  std::string role;
  Fidelity fidelity = Fidelity::sim;
  std::map<std::string, std::uint64_t> clocks{{"core", 250'000'000}};
};

std::map<std::string, std::uint64_t> read_clocks(Table& table, std::map<std::string, std::uint64_t> clocks) {
  if (table.raw("clocks") == nullptr) return clocks;
  Table given = table.table("clocks");
  clocks["core"] = given.frequency("core", clocks.at("core"));
  given.finish();
  return clocks;
}

void read_fpga_keys(Table& table, FpgaDefaults& fpga, bool required) {
  const bool has_role = !fpga.role.empty();
  fpga.role = table.text("role", required && !has_role ? std::nullopt : std::optional(fpga.role));
  fpga.fidelity = read_fidelity(table, fpga.fidelity);
  fpga.clocks = read_clocks(table, fpga.clocks);
}

class Reader {
 public:
  Reader(const Value& document, const std::string& file, const RoleRegistry& roles,
         const ReadOptions& options)
      : top_(document, file, ""), roles_(roles), options_(options) {
    spec_.file = file;
  }

  ClusterSpec read() {
    spec_.version = static_cast<int>(top_.integer("version", std::nullopt, 1, 1));
    spec_.name = top_.text("name", std::filesystem::path(spec_.file).stem().string());
    spec_.description = top_.text("description", "");
    read_topology();
    LinkQuality quality = read_link();
    read_fpga();
    expand_topology(spec_, quality);
    apply_nodes();
    read_connects(quality);
    read_switch();
    read_memories();
    read_host();
    name_links(spec_);
    read_overrides();
    validate();
    return std::move(spec_);
  }

 private:
  void read_topology() {
    if (!top_.has("topology"))
      top_.fail("topology", "this table is missing", "[topology] with kind and size");
    Table table = top_.table("topology");
    std::vector<std::string> kinds;
    for (const TopologyKind kind : kTopologies) kinds.emplace_back(name_of(kind));
    const std::string kind = table.choice("kind", std::nullopt, kinds);
    const auto place = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    spec_.topology.kind = kTopologies[place];
    const SizeRule rule = size_rule(spec_.topology.kind);
    if (rule.most > 0) {
      for (const std::int64_t k :
           table.integers("size", std::nullopt, rule.smallest, kMaxNodes, rule.least, rule.most)) {
        spec_.topology.size.push_back(static_cast<int>(k));
      }
      if (spec_.topology.kind == TopologyKind::fully_connected ||
          spec_.topology.kind == TopologyKind::hypercube) {
        read_multiplicity(table);
      }
      const Extent extent = extent_of(spec_.topology);
      if (extent.nodes >= kMaxNodes || extent.links > kMaxLinks) {
        table.fail("size", "too large a cluster",
                   "fewer than " + std::to_string(kMaxNodes) + " nodes and at most " +
                       std::to_string(kMaxLinks) + " links");
      }
    }
    table.finish();
  }

  void read_multiplicity(Table& table) {
    const std::size_t dimensions = spec_.topology.size.size();
    const std::vector<std::int64_t> single(dimensions, 1);
    for (const std::int64_t m : table.integers("links", single, 1, 16, dimensions, dimensions)) {
      spec_.topology.links.push_back(static_cast<int>(m));
    }
  }

  LinkQuality read_link() {
    const bool any_link =
        extent_of(spec_.topology).links > 0 && spec_.topology.size != std::vector<int>{1, 1};
    LinkQuality base;
    base.latency = 780 * kNs;
    base.rate_bps = 10'000'000'000;
    Table table = top_.table("link");
    // A lone board has no links to describe; a cluster's latency decides its results, so it must be written
    // down.
    LinkQuality quality = read_quality(table, any_link ? nullptr : &base);
    table.finish();
    return quality;
  }

  void read_fpga() {
    const bool needed = spec_.topology.kind != TopologyKind::explicit_links;
    Table table = top_.table("fpga");
    read_fpga_keys(table, defaults_, needed);
    table.finish();
    for (const std::string& role : roles_.names()) {
      if (top_.raw(role)) role_tables_.set(role, top_has_table(role));
    }
  }

  Value top_has_table(const std::string& role) {
    top_.table(role);  // refuses what is not a table
    return *top_.raw(role);
  }

  // [[node]]: in an explicit topology it declares a node, elsewhere it changes an FPGA that the topology
  // made.
  void apply_nodes() {
    const bool declares = spec_.topology.kind == TopologyKind::explicit_links;
    own_tables_.resize(spec_.nodes.size());
    for (ClusterNode& node : spec_.nodes) {
      if (node.kind == NodeKind::fpga) set_fpga(node, defaults_);
    }
    std::set<std::string> named;
    for (Table& table : top_.tables("node")) {
      const std::string name = table.text("name", std::nullopt);
      if (!named.insert(name).second) table.fail("name", "this node is described twice", "each name once");
      if (declares) declare_node(table, name);
      change_node(table, name);
      table.finish();
    }
    if (declares && spec_.nodes.empty()) {
      top_.fail("node", "an explicit topology without nodes",
                "[[node]] for each node, [[connect]] for each link");
    }
  }

  void declare_node(Table& table, const std::string& name) {
    if (name.empty() || name.size() > 64 ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._") !=
            std::string::npos) {
      table.fail("name", "not a node name", "1 to 64 letters, digits, dots and underscores");
    }
    if (static_cast<std::int64_t>(spec_.nodes.size()) >= kMaxNodes) {
      table.fail("name", "too many nodes", "at most " + std::to_string(kMaxNodes));
    }
    ClusterNode node;
    node.name = name;
    const std::string kind = table.choice("kind", "fpga", {"fpga", "host", "switch"});
    node.kind = kind == "fpga" ? NodeKind::fpga : kind == "host" ? NodeKind::host : NodeKind::network_switch;
    for (const std::int64_t k : table.integers("position", std::vector<std::int64_t>{}, 0, kMaxNodes, 0, 8)) {
      node.position.push_back(static_cast<int>(k));
    }
    spec_.nodes.push_back(std::move(node));
    own_tables_.resize(spec_.nodes.size());
  }

  void change_node(Table& table, const std::string& name) {
    const int index = spec_.find_node(name);
    if (index < 0) {
      std::vector<std::string> names;
      for (const ClusterNode& node : spec_.nodes) names.push_back(node.name);
      const std::string hint = did_you_mean(name, names);
      if (names.size() > 8) names.resize(8), names.emplace_back("...");
      table.fail("name", "the topology has no such node" + hint, joined(names));
    }
    ClusterNode& node = spec_.nodes[static_cast<std::size_t>(index)];
    if (node.kind != NodeKind::fpga) return;
    FpgaDefaults own = defaults_;
    read_fpga_keys(table, own, true);
    set_fpga(node, own);
    if (roles_.find(own.role) && table.raw(own.role)) {
      table.table(own.role);
      own_tables_[static_cast<std::size_t>(index)] = *table.raw(own.role);
    }
  }

  static void set_fpga(ClusterNode& node, const FpgaDefaults& from) {
    node.role = from.role;
    node.fidelity = from.fidelity;
    node.clocks = from.clocks;
  }

  // "NAME:PORT"
  std::pair<int, int> end_of(Table& table, const std::string& key) {
    const std::string allowed = "\"NODE:PORT\" of a node of this file, port 0 to 255";
    const std::string text = table.text(key, std::nullopt);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon + 1 == text.size() || text.size() - colon > 4 ||
        text.find_first_not_of("0123456789", colon + 1) != std::string::npos) {
      table.fail(key, "not a node and a port", allowed);
    }
    const int port = std::stoi(text.substr(colon + 1));
    if (port > 255) table.fail(key, "port out of range", allowed);
    const int node = spec_.find_node(text.substr(0, colon));
    if (node < 0) {
      std::vector<std::string> names;
      for (const ClusterNode& n : spec_.nodes) names.push_back(n.name);
      table.fail(key, "no such node" + did_you_mean(text.substr(0, colon), names), allowed);
    }
    return {node, port};
  }

  void read_connects(const LinkQuality& base) {
    if (spec_.topology.kind != TopologyKind::explicit_links) return;
    std::set<std::pair<int, int>> used;
    for (Table& table : top_.tables("connect")) {
      ClusterLink link;
      std::tie(link.node_a, link.port_a) = end_of(table, "a");
      std::tie(link.node_b, link.port_b) = end_of(table, "b");
      for (const auto& [key, node, port] :
           {std::tuple("a", link.node_a, link.port_a), std::tuple("b", link.node_b, link.port_b)}) {
        if (!used.insert({node, port}).second)
          table.fail(key, "this port is already connected", "each port once");
        ClusterNode& end = spec_.nodes[static_cast<std::size_t>(node)];
        end.ports = std::max(end.ports, port + 1);
      }
      link.quality = read_quality(table, &base);
      table.finish();
      mark_host_link(link);
      spec_.links.push_back(std::move(link));
    }
    // Every port of a host must lead somewhere: host programs count links, not ports.
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      for (int port = 0; port < spec_.nodes[i].ports; ++port) {
        if (spec_.nodes[i].kind == NodeKind::host && !used.count({static_cast<int>(i), port})) {
          top_.fail("connect",
                    "port " + std::to_string(port) + " of " + spec_.nodes[i].name + " is not connected",
                    "a host's ports numbered from 0 without gaps");
        }
      }
    }
  }

  void mark_host_link(ClusterLink& link) {
    ClusterNode& a = spec_.nodes[static_cast<std::size_t>(link.node_a)];
    ClusterNode& b = spec_.nodes[static_cast<std::size_t>(link.node_b)];
    link.to_host = a.kind == NodeKind::host || b.kind == NodeKind::host;
    if (a.kind == NodeKind::fpga && b.kind == NodeKind::host && a.host_port < 0) a.host_port = link.port_a;
    if (b.kind == NodeKind::fpga && a.kind == NodeKind::host && b.host_port < 0) b.host_port = link.port_b;
  }

  void read_switch() {
    const bool present = !spec_.nodes_of(NodeKind::network_switch).empty();
    if (!present) return;  // then [switch] is an unknown key
    Table table = top_.table("switch");
    spec_.network_switch.forward_latency = table.read(network_switch::keys::forward_latency);
    spec_.network_switch.queue_bytes = table.read(network_switch::keys::queue);
    table.finish();
  }

  void read_memories() {
    Table all = top_.table("memory");
    for (const std::string& name : all.names()) {
      Table table = all.table(name);
      MemorySpec memory;
      memory.name = name;
      memory.kind = table.read(memory::keys::kind);
      memory.channels = static_cast<int>(table.read(memory::keys::channels));
      memory.bytes_per_channel = table.read(memory::keys::size);
      table.finish();
      spec_.memories.push_back(std::move(memory));
    }
    all.finish();
  }

  void read_host() {
    const bool is_explicit = spec_.topology.kind == TopologyKind::explicit_links;
    Table table = top_.table("host");
    spec_.host.call_time = table.read(host::keys::call_time);
    spec_.host.clients = static_cast<int>(table.read(host::keys::clients));
    if (options_.host_clients > 0) spec_.host.clients = options_.host_clients;
    if (!is_explicit) {
      HostAttachment attachment;
      attachment.hosts = static_cast<int>(table.read(host::keys::count));
      read_attach(table, attachment);
      LinkQuality pcie;  // PCI Express Gen2 x8 behind a driver
      pcie.latency = 1 * kUs;
      pcie.rate_bps = 32'000'000'000;
      attachment.quality = read_quality(table, &pcie);
      attach_hosts(spec_, attachment);
      own_tables_.resize(spec_.nodes.size());
    }
    table.finish();
  }

  void read_attach(Table& table, HostAttachment& attachment) {
    const std::string allowed = "\"all\", \"switch\" (of a star), or an array of FPGA names";
    const Value* value = table.raw("attach");
    if (!value || (value->kind == Value::Kind::string && value->string == "all")) {
      attachment.attached = spec_.nodes_of(NodeKind::fpga);
      return;
    }
    if (value->kind == Value::Kind::string) {
      if (value->string != "switch" || spec_.find_node("switch") < 0) {
        table.fail("attach", "nothing of that name to attach to", allowed);
      }
      attachment.to_switch = true;
      return;
    }
    for (const std::string& name : table.texts("attach", std::nullopt)) {
      const int node = spec_.find_node(name);
      if (node < 0 || spec_.nodes[static_cast<std::size_t>(node)].kind != NodeKind::fpga) {
        table.fail("attach", "no FPGA is named \"" + name + "\"", allowed);
      }
      if (std::find(attachment.attached.begin(), attachment.attached.end(), node) !=
          attachment.attached.end()) {
        table.fail("attach", "\"" + name + "\" is given twice", "each FPGA once");
      }
      attachment.attached.push_back(node);
    }
  }

  // [[override]]: other quality for the links between two nodes.
  void read_overrides() {
    for (Table& table : top_.tables("override")) {
      const std::vector<std::string> ends = table.texts("between", std::nullopt);
      const std::string allowed = "an array of two names of nodes that are linked";
      if (ends.size() != 2) table.fail("between", "not two names", allowed);
      const int a = spec_.find_node(ends[0]), b = spec_.find_node(ends[1]);
      bool found = false;
      for (ClusterLink& link : spec_.links) {
        if (a < 0 || b < 0 || std::minmax(link.node_a, link.node_b) != std::minmax(a, b)) continue;
        link.quality = read_quality(table, &link.quality);
        found = true;
      }
      if (!found) table.fail("between", "these are not the two ends of a link", allowed);
      table.finish();
    }
  }

  void validate() {
    for (ClusterNode& node : spec_.nodes) {
      if (node.kind == NodeKind::fpga && options_.fidelity) node.fidelity = *options_.fidelity;
    }
    std::vector<Value> tables(spec_.nodes.size());
    std::set<std::string> used;
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      const std::string& role = spec_.nodes[i].role;
      if (spec_.nodes[i].kind != NodeKind::fpga) continue;
      used.insert(role);
      if (const Value* common = role_tables_.find(role)) tables[i] = *common;
      if (!own_tables_[i].members.empty()) tables[i] = merged(tables[i], own_tables_[i]);
    }
    for (const auto& [role, table] : role_tables_.members) {
      if (!used.count(role)) {
        top_.fail(role, "no FPGA has this role",
                  "tables of the roles in use: " + joined({used.begin(), used.end()}));
      }
    }
    validate_roles(spec_, tables, top_, roles_);
    check_memories(used);
    top_.finish();
    settle_protocols(spec_, roles_);
  }

  // Roles look memories up by their kind: one that none looks for, or a second one, would change nothing.
  void check_memories(const std::set<std::string>& used) {
    std::set<std::string> wanted;
    for (const std::string& name : used) {
      const Role* role = roles_.find(name);
      if (role != nullptr) wanted.insert(role->memories.begin(), role->memories.end());
    }
    for (const MemorySpec& memory : spec_.memories) {
      if (wanted.erase(memory.kind) == 1) continue;
      top_.table("memory")
          .table(memory.name)
          .fail("kind", "no role of this cluster has such a memory, or there is one already",
                wanted.empty() ? "no further [memory.NAME]" : joined({wanted.begin(), wanted.end()}));
    }
  }

  Table top_;
  const RoleRegistry& roles_;
  const ReadOptions& options_;
  ClusterSpec spec_;
  FpgaDefaults defaults_;
  Value role_tables_;              // [ROLE] tables by role
  std::vector<Value> own_tables_;  // per node: the role table under its [[node]]
};

}  // namespace

LinkQuality read_quality(Table& table, const LinkQuality* base) {
  LinkQuality quality = base ? *base : LinkQuality();
  if (table.has("protocol")) quality.protocol = table.choice("protocol", std::nullopt, known_protocols());
  quality.latency =
      table.duration("latency", base ? std::optional(base->latency) : std::nullopt, kNs, kPicosPerSecond);
  quality.rate_bps = table.rate("rate", base ? std::optional(base->rate_bps) : std::nullopt);
  quality.bit_error_rate = table.real("bit_error_rate", quality.bit_error_rate, 0, 1);
  quality.drop_rate = table.real("drop_rate", quality.drop_rate, 0, 1);
  return quality;
}

Fidelity parse_fidelity(const std::string& word, const std::string& what) {
  if (std::find(kSimulated.begin(), kSimulated.end(), word) == kSimulated.end()) {
    const std::string why = why_not_simulated(word);
    throw UserError(what + " = \"" + word +
                    "\": " + (why.empty() ? "unknown fidelity" + did_you_mean(word, kSimulated) : why) +
                    "; allowed: " + joined(kSimulated));
  }
  return fidelity_of(word);
}

namespace {

ClusterSpec read_json(const std::string& text, const std::string& file, const RoleRegistry& roles,
                      const ReadOptions& options) {
  if (!roles.json().read)
    throw UserError(file + ": no role of this program describes clusters in JSON; write TOML");
  const Value document = parse_json(text, file);
  ClusterSpec spec;
  spec.file = file;
  spec.name = std::filesystem::path(file).stem().string();
  spec.host.call_time = 1 * kUs;
  roles.json().read(document, file, spec);
  name_links(spec);
  if (options.fidelity) {
    for (ClusterNode& node : spec.nodes) node.fidelity = *options.fidelity;
  }
  Table top(document, file, "");
  validate_roles(spec, std::vector<Value>(spec.nodes.size()), top, roles);
  settle_protocols(spec, roles);
  return spec;
}

}  // namespace

ClusterSpec parse_cluster(std::string_view text, const std::string& file, const RoleRegistry& roles,
                          const ReadOptions& options) {
  if (file.ends_with(".json")) return read_json(std::string(text), file, roles, options);
  const Value document = parse_toml(text, file);
  return Reader(document, file, roles, options).read();
}

ClusterSpec read_cluster(const std::string& name, const RoleRegistry& roles, const ReadOptions& options) {
  const ClusterForm& json = roles.json();
  if (const auto text = json.of_name ? json.of_name(name) : std::nullopt) {
    return read_json(*text, name, roles, options);
  }
  const std::string path = find_cluster(name);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || in.bad()) throw UserError(path + ": cannot read this cluster file");
  return parse_cluster(text.str(), path, roles, options);
}

}  // namespace polyloom::fabric
