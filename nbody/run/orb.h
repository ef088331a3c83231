// SPDX-License-Identifier: Apache-2.0
// Orthogonal recursive bisection: space is cut into one box a domain, each with its share of the bodies.
#pragma once

#include <span>
#include <vector>

#include "nbody/tree/bodies.h"

namespace polyloom::nbody {

/// Made of sample positions; depends on their set only, not on their order. A cut moves to the border of the
/// largest cells of the octree that lets shares stay within a few per cent: a cell that is cut apart looks
/// flat from either side, which its mass alone does not tell, and the forces of all domains were off in the
/// same direction.
class Bisection {
 public:
  /// `lattice`: side of the largest cells whose borders are multiples of it (Frame::kLattice), or 0 for none.
  Bisection(std::vector<Vec3> samples, unsigned domains, double lattice = 0);
  unsigned owner(const Vec3& position) const;

 private:
  struct Cut {
    int axis;             ///< 0..2, or -1: a domain
    double below;         ///< bodies below go to the next cut, others to `other`
    std::uint32_t other;  ///< or the number of the domain
  };
  void cut(std::span<Vec3> samples, unsigned first, unsigned domains);
  double aligned(std::span<const Vec3> samples, int axis, double below, std::size_t middle) const;
  const double lattice_;
  std::vector<Cut> cuts_;
};

}  // namespace polyloom::nbody
