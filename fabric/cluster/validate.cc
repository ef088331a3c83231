// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "fabric/cluster/build.h"
#include "fabric/cluster/suggest.h"
#include "fabric/error.h"

namespace polyloom::fabric {

void validate_roles(ClusterSpec& spec, const std::vector<Value>& tables, const Table& where,
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
                        "\", which this program does not know" + did_you_mean(node.role, roles.names()) +
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
}

}  // namespace polyloom::fabric
