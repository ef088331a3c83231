// SPDX-License-Identifier: Apache-2.0
// polyloom-sim with the echo role only, for tests of what all roles share.
#include "fabric/host/echo_role.h"
#include "sim/simulator.h"

int main(int argc, char** argv) {
  polyloom::fabric::RoleRegistry roles;
  roles.add(polyloom::fabric::testing::echo_role());
  return polyloom::simulator::simulator_main(argc, argv, roles);
}
