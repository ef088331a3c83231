// SPDX-License-Identifier: Apache-2.0
// Four floats as the compiler's vectors, for any processor.
#pragma once

#include <cstring>

namespace polyloom::nbody::POLYLOOM_SIMD {

constexpr unsigned kLanes = 4;
using V = float __attribute__((vector_size(16)));
inline V splat(float v) { return V{v, v, v, v}; }
inline V load(const float* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, V v) { std::memcpy(p, &v, sizeof v); }
inline V fma(V a, V b, V c) { return a * b + c; }
inline V fnma(V a, V b, V c) { return c - a * b; }
inline V max(V a, V b) { return a > b ? a : b; }
inline V min(V a, V b) { return a < b ? a : b; }
inline unsigned less(V a, V b) {
  const auto m = a < b;
  return static_cast<unsigned>((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}
/// v where above limit, else zero.
inline V where_above(V x, V limit, V v) { return x > limit ? v : V{}; }
inline V rsqrt(V x) {
  V y = x;
  for (unsigned l = 0; l < kLanes; ++l) y[l] = 1.0f / __builtin_sqrtf(x[l]);
  return y;
}
/// Writes the lanes of `mask` one after the other.
inline void pack(float* p, unsigned mask, V v) {
  for (; mask != 0; mask &= mask - 1) *p++ = v[__builtin_ctz(mask)];
}

}  // namespace polyloom::nbody::POLYLOOM_SIMD
