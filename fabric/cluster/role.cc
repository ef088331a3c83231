// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/role.h"

#include <stdexcept>

namespace polyloom::fabric {

void RoleRegistry::add(Role role) {
  if (find(role.name)) throw std::logic_error("role registered twice: " + role.name);
  roles_.push_back(std::move(role));
}

const Role* RoleRegistry::find(const std::string& name) const {
  for (const Role& role : roles_) {
    if (role.name == name) return &role;
  }
  return nullptr;
}

std::vector<std::string> RoleRegistry::names() const {
  std::vector<std::string> result;
  for (const Role& role : roles_) result.push_back(role.name);
  return result;
}

}  // namespace polyloom::fabric
