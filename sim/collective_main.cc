// SPDX-License-Identifier: Apache-2.0
// polyloom-sim with the collective role only, for tests of run records.
#include "roles/collective/sim/role.h"
#include "sim/simulator.h"

int main(int argc, char** argv) {
  polyloom::fabric::RoleRegistry roles;
  polyloom::collective::register_role(roles);
  return polyloom::simulator::simulator_main(argc, argv, roles);
}
