// SPDX-License-Identifier: Apache-2.0
// polyloom-sim with the hub role only, for tests of its host library.
#include "roles/hub/sim/role.h"
#include "sim/simulator.h"

int main(int argc, char** argv) {
  polyloom::fabric::RoleRegistry roles;
  polyloom::hub::register_role(roles);
  return polyloom::simulator::simulator_main(argc, argv, roles);
}
