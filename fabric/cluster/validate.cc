// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "fabric/cluster/build.h"
#include "fabric/cluster/suggest.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

/// Tells it of the end that has a table of its own, under its [[node]]; if both have one, of the later.
[[noreturn]] void refuse_difference(const ClusterLink& link, const std::string& key, const ClusterSpec& spec,
                                    const std::vector<Value>& tables, Table& where) {
  const auto a = static_cast<std::size_t>(link.node_a), b = static_cast<std::size_t>(link.node_b);
  const Value* common = where.raw(spec.nodes[a].role);
  const auto own = [&](std::size_t i) { return tables[i].line != (common != nullptr ? common->line : 0); };
  const bool second = own(b) && (!own(a) || tables[b].line > tables[a].line);
  const std::size_t odd = second ? b : a, other = second ? a : b;
  const auto text = [&](std::size_t i) { return spec.nodes[i].role_table.find(key)->text(); };
  Table(tables[odd], where.file(), spec.nodes[odd].role)
      .fail(key,
            "is " + text(odd) + " at " + spec.nodes[odd].name + " and " + text(other) + " at " +
                spec.nodes[other].name + ", to which it is linked",
            "the same " + key + " at both ends of a link, here " + text(other));
}

void check_alike(const ClusterSpec& spec, const std::vector<Value>& tables, Table& where,
                 const RoleRegistry& roles) {
  for (const ClusterLink& link : spec.links) {
    const ClusterNode& a = spec.nodes[static_cast<std::size_t>(link.node_a)];
    const ClusterNode& b = spec.nodes[static_cast<std::size_t>(link.node_b)];
    if (a.kind != NodeKind::fpga || b.kind != NodeKind::fpga || a.role != b.role) continue;
    for (const std::string& key : roles.find(a.role)->alike) {
      if (a.role_table.find(key)->text() == b.role_table.find(key)->text()) continue;
      refuse_difference(link, key, spec, tables, where);
    }
  }
}

}  // namespace

void validate_roles(ClusterSpec& spec, const std::vector<Value>& tables, Table& where,
                    const RoleRegistry& roles) {
  struct Done {
    std::shared_ptr<const RoleParams> params;
    Value effective;
  };
  std::map<std::tuple<std::string, std::string, std::uint64_t, Fidelity>, Done> done;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    ClusterNode& node = spec.nodes[i];
    if (node.kind != NodeKind::fpga) continue;
    const auto key =
        std::make_tuple(node.role, tables[i].text(std::string::npos), node.clock_hz(), node.fidelity);
    auto it = done.find(key);
    if (it == done.end()) {
      const Role* role = roles.find(node.role);
      if (!role) {
        throw UserError(where.file() + ": node " + node.name + " has the role \"" + node.role +
                        "\", which this program does not know" + now_called("", node.role) +
                        did_you_mean(node.role, roles.names()) +
                        "; allowed: " + (roles.names().empty() ? "none" : joined(roles.names())));
      }
      Table table(tables[i], where.file(), node.role);
      const RoleSite site{node.clock_hz(), spec.topology, spec.memories, node.fidelity};
      Done result;
      result.params = role->validate(table, site);
      table.finish();
      result.effective = table.effective();
      it = done.emplace(key, std::move(result)).first;
    }
    node.params = it->second.params;
    node.role_table = it->second.effective;
  }
  check_alike(spec, tables, where, roles);
}

}  // namespace polyloom::fabric
