// SPDX-License-Identifier: Apache-2.0
// Sets of bodies that tests share.
#pragma once

#include <cmath>
#include <string>

#include "nbody/problems/problems.h"
#include "nbody/run/domain.h"

namespace polyloom::nbody::test {

inline Bodies uniform(std::size_t count) {
  Bodies b = make_problem("cold-sphere", count, 7);
  return b;
}

inline Bodies coincident(std::size_t count) {
  Bodies b = make_problem("cold-sphere", count, 7);
  for (Vec3& p : b.position) p = {0.25, -1, 3};
  return b;
}

/// Each of the eight octants of the root has eight bodies, so the root has 64 children at a leaf limit of 8.
inline Bodies sixty_four_children() {
  Bodies b = make_problem("cold-sphere", 64, 7);
  for (unsigned i = 0; i < 64; ++i) {
    const double inner = 0.3 + 0.01 * (i / 8);
    b.position[i] = {(i & 1) != 0 ? inner : -inner, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5};
  }
  return b;
}

/// A domain with its tree made, and the memory of its records.
struct Made {
  fabric::Pool pool{1};
  Domain domain;
  std::vector<NodeRecord> memory;

  Made(const Settings& settings, Bodies bodies, bool known = false) : domain(settings, pool) {
    domain.bodies = std::move(bodies);
    const Extent e = extent_of(domain.bodies.position, domain.bodies.mass);
    make(make_frame(std::span(&e, 1)), known);
  }
  Made(const Settings& settings, Bodies bodies, const Frame& frame, bool known) : domain(settings, pool) {
    domain.bodies = std::move(bodies);
    make(frame, known);
  }
  void make(const Frame& frame, bool known) {
    domain.sort(frame, known);
    memory.resize(domain.make_tree());
    domain.summarize(memory);
  }
};

}  // namespace polyloom::nbody::test
