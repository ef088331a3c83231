// SPDX-License-Identifier: Apache-2.0
// Orthogonal recursive bisection: space is cut into one box a domain, each with its share of the bodies.
#pragma once

#include <span>
#include <vector>

#include "nbody/tree/bodies.h"

namespace polyloom::nbody {

/// Made of sample positions; depends on their set only, not on their order.
class Bisection {
 public:
  Bisection(std::vector<Vec3> samples, unsigned domains);
  unsigned owner(const Vec3& position) const;

 private:
  struct Cut {
    int axis;             ///< 0..2, or -1: a domain
    double below;         ///< bodies below go to the next cut, others to `other`
    std::uint32_t other;  ///< or the number of the domain
  };
  void cut(std::span<Vec3> samples, unsigned first, unsigned domains);
  std::vector<Cut> cuts_;
};

}  // namespace polyloom::nbody
