// SPDX-License-Identifier: Apache-2.0
// Trees to make LETs of: the domains of a Plummer sphere, as a simulation has them at its first step.
#pragma once

#include <vector>

#include "nbody/run/exchange.h"
#include "nbody/run/settings.h"

namespace polyloom::bench {

struct DomainTree {
  std::vector<nbody::NodeRecord> nodes;
  nbody::Summary summary;
};

/// `count` bodies over `domains` of equal size (orthogonal bisection). With the acceleration criterion, old
/// accelerations are those of a first evaluation.
std::vector<DomainTree> plummer_domains(std::size_t count, unsigned domains, const nbody::Settings& settings);

}  // namespace polyloom::bench
