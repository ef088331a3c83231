// SPDX-License-Identifier: Apache-2.0
// polyloom-sim: a simulated cluster for host programs. The list of roles stands here and nowhere else.
#include "roles/collective/sim/role.h"
#include "roles/hub/sim/role.h"
#include "roles/mpi/sim/role.h"
#include "roles/overlay/sim/board/role.h"
#include "sim/simulator.h"

int main(int argc, char** argv) {
  polyloom::fabric::RoleRegistry roles;
  polyloom::overlay::register_role(roles);
  polyloom::collective::register_role(roles);
  polyloom::mpi::register_role(roles);
  polyloom::hub::register_role(roles);
  return polyloom::simulator::simulator_main(argc, argv, roles);
}
