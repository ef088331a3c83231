// SPDX-License-Identifier: Apache-2.0
// The loops that take the time, compiled once for each instruction set and chosen at run time. Plain data
// only: these files are compiled with other flags, and nothing that the linker may merge must come from them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyloom::nbody {

/// A tree as one array a field, which vector loads want. All arrays may be read kLanePad elements beyond the
/// end.
struct WalkTree {
  const float *q, *x, *y, *z, *mass;
  const float* radius;  ///< never accepted nearer than this; zeros where only q counts
  const std::uint32_t* more;
  const float* second[6];  ///< xx xy xz yy yz zz, or null
  std::uint32_t size;
};
inline constexpr unsigned kLanePad = 16;
inline constexpr unsigned kMaxGroup = 64;
/// Without softening, bodies nearer than 1e-12 of the frame (here squared) count as coincident: they exert
/// nothing on one another.
inline constexpr float kCoincident = 1e-24f;

/// Bodies that share one list of interactions, and the box around them.
struct Group {
  unsigned count;
  float min[3], max[3];
  float kappa;
  alignas(64) float x[kMaxGroup], y[kMaxGroup], z[kMaxGroup];  ///< beyond count: copies of the last
  alignas(64) double ax[kMaxGroup], ay[kMaxGroup], az[kMaxGroup];
  /// With softening without what lies in the body's own place, itself included, whose mass is `together`: m /
  /// eps may be so large that nothing else would be left of the sum.
  alignas(64) double potential[kMaxGroup], together[kMaxGroup];
};

/// Working memory of one worker.
struct Scratch {
  struct Range {
    std::uint32_t first, count;
  };
  static constexpr unsigned kList = 2048;        ///< evaluated when so many have come together
  static constexpr unsigned kRoom = kList + 64;  ///< the children of one more node fit
  Range* queue;                                  ///< room for a range a node of the largest tree
  struct Points {
    alignas(64) float x[kRoom], y[kRoom], z[kRoom], mass[kRoom];
    unsigned count;
  };
  Points around, inside;  ///< outside of the group's box, and in it, where a body may meet itself
  alignas(64) float cx[kRoom], cy[kRoom], cz[kRoom], cmass[kRoom];  ///< cells with second moments
  alignas(64) float second[6][kRoom];
  std::uint64_t points, cells;  ///< length of the group's lists
};

struct Kernels {
  const char* name;
  unsigned lanes;
  /// Adds what the trees exert on the group, in the order of the trees. eps2: softening squared.
  void (*walk)(const WalkTree* trees, std::size_t count, Group& group, Scratch& scratch, float eps2);
  float (*max_distance2)(const float* x, const float* y, const float* z, std::size_t count, float cx,
                         float cy, float cz);
  /// `rounds` times 16 independent fused multiply-adds of `lanes` values; for measuring what the processor
  /// can do.
  float (*multiply_add)(std::uint64_t rounds);
  /// Direct summation in fp64. Sources at no distance exert nothing; their mass is `together`.
  void (*direct)(const double* x, const double* y, const double* z, const double* mass, std::size_t sources,
                 const double* tx, const double* ty, const double* tz, std::size_t targets, double eps2,
                 double* ax, double* ay, double* az, double* potential, double* together);
};

/// Of one interaction, vector operations that need a unit for products (with 1 / sqrt as four); sums go
/// beside them.
inline constexpr unsigned kProductsAnInteraction = 14;

/// The best that this processor has, or what POLYLOOM_SIMD names: avx512, avx2, portable. Throws UserError if
/// that is none, or not there.
const Kernels& kernels();

}  // namespace polyloom::nbody
