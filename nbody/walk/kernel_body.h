// SPDX-License-Identifier: Apache-2.0
// The loops of kernels.h over vectors V of one instruction set. Included once by each kernels_SET.cc, which
// names its namespace in POLYLOOM_SIMD. Compiled with -ffp-contract=off; fused operations are written as
// fma().
//
// Lanes are targets: an interaction list is gone through one source at a time, so a body's sum has the order
// of the list whatever the number of lanes. Sums of 256 interactions are fp32, their sum is fp64.
#pragma once

#include "nbody/walk/kernels.h"

namespace polyloom::nbody::POLYLOOM_SIMD {
namespace {

constexpr unsigned kBlock = 256;
constexpr float kGuardFactor = 1.00000095367431640625f;  // kGuard of record.h

struct Sums {
  V x, y, z, potential, together;
};

inline void add(double* total, V part) {
  float lanes[kLanes];
  store(lanes, part);
  for (unsigned l = 0; l < kLanes; ++l) total[l] += static_cast<double>(lanes[l]);
}

inline void add(Group& g, unsigned lane, const Sums& sums) {
  add(g.ax + lane, sums.x);
  add(g.ay + lane, sums.y);
  add(g.az + lane, sums.z);
  add(g.potential + lane, sums.potential);
  add(g.together + lane, sums.together);
}

/// kMeets: a source may be in a body's own place, at least as fp32 sees it beside the softening.
template <bool kSoft, bool kMeets>
inline void attract(Sums& sums, V xi, V yi, V zi, V xj, V yj, V zj, V mj, V eps2) {
  const V dx = xj - xi, dy = yj - yi, dz = zj - zi;
  const V r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2)));
  V w = rsqrt(r2);
  if constexpr (!kSoft) w = where_above(r2, splat(kCoincident), w);
  const V mw = mj * w;
  const V f = mw * (w * w);
  if constexpr (kSoft && kMeets) {
    sums.potential = sums.potential - where_above(r2, eps2, mw);
    sums.together = sums.together + (mj - where_above(r2, eps2, mj));
  } else {
    sums.potential = sums.potential - mw;
  }
  sums.x = fma(f, dx, sums.x);
  sums.y = fma(f, dy, sums.y);
  sums.z = fma(f, dz, sums.z);
}

/// Sources [first, end) of the list on kVectors * kLanes bodies from `lane` on.
template <bool kSoft, bool kMeets, unsigned kVectors>
void points_block(Group& g, const Scratch::Points& s, unsigned lane, unsigned first, unsigned end,
                  float eps2) {
  V x[kVectors], y[kVectors], z[kVectors];
  Sums sums[kVectors];
  for (unsigned v = 0; v < kVectors; ++v) {
    x[v] = load(g.x + lane + v * kLanes);
    y[v] = load(g.y + lane + v * kLanes);
    z[v] = load(g.z + lane + v * kLanes);
    sums[v] = {splat(0), splat(0), splat(0), splat(0), splat(0)};
  }
  const V soft = splat(eps2);
  for (unsigned j = first; j < end; ++j) {
    const V xj = splat(s.x[j]), yj = splat(s.y[j]), zj = splat(s.z[j]), mj = splat(s.mass[j]);
    for (unsigned v = 0; v < kVectors; ++v) {
      attract<kSoft, kMeets>(sums[v], x[v], y[v], z[v], xj, yj, zj, mj, soft);
    }
  }
  for (unsigned v = 0; v < kVectors; ++v) add(g, lane + v * kLanes, sums[v]);
}

template <bool kSoft, bool kMeets>
void evaluate_points(Group& g, Scratch& scratch, Scratch::Points& s, float eps2) {
  for (unsigned first = 0; first < s.count; first += kBlock) {
    const unsigned end = first + kBlock < s.count ? first + kBlock : s.count;
    unsigned lane = 0;
    for (; lane + kLanes < g.count; lane += 2 * kLanes) {
      points_block<kSoft, kMeets, 2>(g, s, lane, first, end, eps2);
    }
    for (; lane < g.count; lane += kLanes) points_block<kSoft, kMeets, 1>(g, s, lane, first, end, eps2);
  }
  scratch.points += s.count;
  s.count = 0;
}

/// Cells with second moments S (T its trace), d from the body to the cell, r softened:
/// -phi = M/r + 3 dSd/(2 r^5) - T/(2 r^3),  a = d [M/r^3 + 15 dSd/(2 r^7) - 3 T/(2 r^5)] - 3 S d/r^5.
void evaluate_cells(Group& g, const Scratch& s, unsigned count, float eps2) {
  for (unsigned first = 0; first < count; first += kBlock) {
    const unsigned end = first + kBlock < count ? first + kBlock : count;
    for (unsigned lane = 0; lane < g.count; lane += kLanes) {
      const V xi = load(g.x + lane), yi = load(g.y + lane), zi = load(g.z + lane), soft = splat(eps2);
      Sums sums{splat(0), splat(0), splat(0), splat(0), splat(0)};
      for (unsigned j = first; j < end; ++j) {
        const V dx = splat(s.cx[j]) - xi, dy = splat(s.cy[j]) - yi, dz = splat(s.cz[j]) - zi;
        const V xx = splat(s.second[0][j]), xy = splat(s.second[1][j]), xz = splat(s.second[2][j]);
        const V yy = splat(s.second[3][j]), yz = splat(s.second[4][j]), zz = splat(s.second[5][j]);
        const V w = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, soft))));
        const V w2 = w * w;
        const V mw = splat(s.cmass[j]) * w;
        const V sx = fma(xx, dx, fma(xy, dy, xz * dz));
        const V sy = fma(xy, dx, fma(yy, dy, yz * dz));
        const V sz = fma(xz, dx, fma(yz, dy, zz * dz));
        const V w3 = w2 * w, w5 = w3 * w2;
        const V dsd = fma(dx, sx, fma(dy, sy, dz * sz)) * w5;  // dSd/r^5
        const V trace = (xx + yy + zz) * w3;                   // T/r^3
        const V f = fma(fma(splat(7.5f), dsd, splat(-1.5f) * trace), w2, mw * w2);
        const V k = splat(-3.0f) * w5;
        sums.potential = sums.potential - fma(splat(1.5f), dsd, fma(splat(-0.5f), trace, mw));
        sums.x = fma(f, dx, fma(k, sx, sums.x));
        sums.y = fma(f, dy, fma(k, sy, sums.y));
        sums.z = fma(f, dz, fma(k, sz, sums.z));
      }
      add(g, lane, sums);
    }
  }
}

void evaluate(Group& g, Scratch& s, unsigned& cells, float eps2) {
  if (eps2 > 0) {
    evaluate_points<true, false>(g, s, s.around, eps2);
    evaluate_points<true, true>(g, s, s.inside, eps2);
  } else {
    evaluate_points<false, true>(g, s, s.around, eps2);
    evaluate_points<false, true>(g, s, s.inside, eps2);
  }
  evaluate_cells(g, s, cells, eps2);
  s.cells += cells;
  cells = 0;
}

/// Squared distances of a vector of nodes from the group's box, as in the contract's test (accept.h).
inline V distance2(const WalkTree& t, std::uint32_t id, const Group& g) {
  const auto off = [](const float* p, float low, float high) {
    const V v = load(p);
    return v - min(max(v, splat(low)), splat(high));
  };
  const V dx = off(t.x + id, g.min[0], g.max[0]);
  const V dy = off(t.y + id, g.min[1], g.max[1]);
  const V dz = off(t.z + id, g.min[2], g.max[2]);
  return (dx * dx + dy * dy) + dz * dz;
}

/// That test.
inline unsigned accepted(const WalkTree& t, std::uint32_t id, const Group& g, V s) {
  const V near = max(splat(g.kappa) * load(t.q + id), load(t.radius + id));
  return less((near * near) * splat(kGuardFactor), s);
}

inline unsigned count_bits(unsigned mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

inline void take_points(const WalkTree& t, std::uint32_t id, unsigned mask, Scratch::Points& s) {
  pack(s.x + s.count, mask, load(t.x + id));
  pack(s.y + s.count, mask, load(t.y + id));
  pack(s.z + s.count, mask, load(t.z + id));
  pack(s.mass + s.count, mask, load(t.mass + id));
  s.count += count_bits(mask);
}

inline void take_cells(const WalkTree& t, std::uint32_t id, unsigned mask, Scratch& s, unsigned& cells) {
  pack(s.cx + cells, mask, load(t.x + id));
  pack(s.cy + cells, mask, load(t.y + id));
  pack(s.cz + cells, mask, load(t.z + id));
  pack(s.cmass + cells, mask, load(t.mass + id));
  for (unsigned k = 0; k < 6; ++k) pack(s.second[k] + cells, mask, load(t.second[k] + id));
  cells += count_bits(mask);
}

template <bool kSecond>
void walk_tree(const WalkTree& t, Group& g, Scratch& s, unsigned& cells, float eps2) {
  if (t.size == 0) return;
  std::uint32_t head = 0, tail = 0;
  s.queue[tail++] = {0, 1};
  while (head < tail) {
    const Scratch::Range range = s.queue[head++];
    const std::uint32_t end = range.first + range.count;
    for (std::uint32_t id = range.first; id < end; id += kLanes) {
      const unsigned there = end - id < kLanes ? (1u << (end - id)) - 1 : (1u << kLanes) - 1;
      const unsigned leaf = less(load(t.q + id), splat(0.0f)) & there;
      const V squared = distance2(t, id, g);
      const unsigned inside = leaf & ~less(splat(0.0f), squared);
      const unsigned far = ((accepted(t, id, g, squared) & there) | leaf) & ~inside;
      if (inside != 0) take_points(t, id, inside, s.inside);
      if constexpr (kSecond) {
        // Not by q: a node that a LET pruned keeps its moments.
        const V trace = load(t.second[0] + id) + load(t.second[3] + id) + load(t.second[5] + id);
        const unsigned wide = less(splat(0.0f), trace) & far;
        take_points(t, id, far & ~wide, s.around);
        take_cells(t, id, wide, s, cells);
      } else {
        take_points(t, id, far, s.around);
      }
      for (unsigned open = there & ~far & ~inside; open != 0; open &= open - 1) {
        const std::uint32_t more = t.more[id + static_cast<unsigned>(__builtin_ctz(open))];
        s.queue[tail++] = {more & ((1u << 26) - 1), (more >> 26) + 1};
      }
    }
    if (s.around.count >= Scratch::kList || s.inside.count >= Scratch::kList || cells >= Scratch::kList) {
      evaluate(g, s, cells, eps2);
    }
  }
}

void walk(const WalkTree* trees, std::size_t count, Group& group, Scratch& scratch, float eps2) {
  unsigned cells = 0;  // in the list
  scratch.points = scratch.cells = 0;
  scratch.around.count = scratch.inside.count = 0;
  for (std::size_t t = 0; t < count; ++t) {
    if (trees[t].second[0] != nullptr) {
      walk_tree<true>(trees[t], group, scratch, cells, eps2);
    } else {
      walk_tree<false>(trees[t], group, scratch, cells, eps2);
    }
  }
  evaluate(group, scratch, cells, eps2);
}

float max_distance2(const float* x, const float* y, const float* z, std::size_t count, float cx, float cy,
                    float cz) {
  V most = splat(0);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const V dx = load(x + i) - splat(cx), dy = load(y + i) - splat(cy), dz = load(z + i) - splat(cz);
    most = max(most, (dx * dx + dy * dy) + dz * dz);
  }
  float lanes[kLanes];
  store(lanes, most);
  float result = 0;
  for (unsigned l = 0; l < kLanes; ++l) result = lanes[l] > result ? lanes[l] : result;
  for (; i < count; ++i) {
    const float dx = x[i] - cx, dy = y[i] - cy, dz = z[i] - cz;
    const float d2 = (dx * dx + dy * dy) + dz * dz;
    result = d2 > result ? d2 : result;
  }
  return result;
}

float multiply_add(std::uint64_t rounds) {
  V sums[16];
  for (unsigned k = 0; k < 16; ++k) sums[k] = splat(static_cast<float>(k));
  const V half = splat(0.5f);
  for (std::uint64_t r = 0; r < rounds; ++r) {
    for (V& sum : sums) sum = fma(sum, half, half);
  }
  V all = splat(0);
  for (const V& sum : sums) all = all + sum;
  float lanes[kLanes];
  store(lanes, all);
  return lanes[0];
}

/// Eight targets at a time; the compiler makes vectors of the inner loops.
void direct(const double* x, const double* y, const double* z, const double* mass, std::size_t sources,
            const double* tx, const double* ty, const double* tz, std::size_t targets, double eps2,
            double* ax, double* ay, double* az, double* potential, double* together) {
  constexpr unsigned kTargets = 8;
  for (std::size_t first = 0; first < targets; first += kTargets) {
    const std::size_t count = targets - first < kTargets ? targets - first : kTargets;
    double px[kTargets], py[kTargets], pz[kTargets];
    double sx[kTargets] = {}, sy[kTargets] = {}, sz[kTargets] = {}, sp[kTargets] = {}, sm[kTargets] = {};
    for (unsigned l = 0; l < kTargets; ++l) {
      const std::size_t i = first + (l < count ? l : count - 1);
      px[l] = tx[i], py[l] = ty[i], pz[l] = tz[i];
    }
    for (std::size_t j = 0; j < sources; ++j) {
      for (unsigned l = 0; l < kTargets; ++l) {
        const double dx = x[j] - px[l], dy = y[j] - py[l], dz = z[j] - pz[l];
        const double d2 = dx * dx + dy * dy + dz * dz;
        const double w = d2 > 0 ? 1.0 / __builtin_sqrt(d2 + eps2) : 0.0;
        const double mw = mass[j] * w, f = mw * w * w;
        sx[l] += f * dx, sy[l] += f * dy, sz[l] += f * dz;
        sp[l] -= mw;
        sm[l] += d2 > 0 ? 0.0 : mass[j];
      }
    }
    for (unsigned l = 0; l < count; ++l) {
      ax[first + l] = sx[l], ay[first + l] = sy[l], az[first + l] = sz[l];
      potential[first + l] = sp[l], together[first + l] = sm[l];
    }
  }
}

}  // namespace

Kernels table(const char* name) { return {name, kLanes, walk, max_distance2, multiply_add, direct}; }

}  // namespace polyloom::nbody::POLYLOOM_SIMD
