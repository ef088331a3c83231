// SPDX-License-Identifier: Apache-2.0
// polyloom-sim without its list of roles, so that tests can run it with roles of their own.
#pragma once

#include "fabric/cluster/role.h"

namespace polyloom::simulator {

/// Runs the program: 0 = the run ended as its clients wished, 1 = an error (told to the clients, or on stderr
/// if there is none to tell), 70 = a defect of ours, 130 = interrupted, else CLI11's status of a bad option.
int simulator_main(int argc, char** argv, const fabric::RoleRegistry& roles);

}  // namespace polyloom::simulator
