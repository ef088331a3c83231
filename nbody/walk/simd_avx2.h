// SPDX-License-Identifier: Apache-2.0
// Eight floats, AVX2 and FMA.
#pragma once

#include <immintrin.h>

namespace polyloom::nbody::POLYLOOM_SIMD {

constexpr unsigned kLanes = 8;
using V = __m256;
inline V splat(float v) { return _mm256_set1_ps(v); }
inline V load(const float* p) { return _mm256_loadu_ps(p); }
inline void store(float* p, V v) { _mm256_storeu_ps(p, v); }
inline V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
inline V fnma(V a, V b, V c) { return _mm256_fnmadd_ps(a, b, c); }
inline V max(V a, V b) { return _mm256_max_ps(a, b); }
inline V min(V a, V b) { return _mm256_min_ps(a, b); }
inline unsigned less(V a, V b) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)));
}
/// v where above limit, else zero.
inline V where_above(V x, V limit, V v) { return _mm256_and_ps(_mm256_cmp_ps(x, limit, _CMP_GT_OQ), v); }
/// 1 / sqrt(x) to about one unit in the last place.
inline V rsqrt(V x) {
  const V y = _mm256_rsqrt_ps(x);
  const V e = fnma(x * y, y, splat(1.0f));
  return fma(splat(0.5f) * y, e, y);
}
/// Writes the lanes of `mask` one after the other.
inline void pack(float* p, unsigned mask, V v) {
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, v);
  for (; mask != 0; mask &= mask - 1) *p++ = lanes[__builtin_ctz(mask)];
}

}  // namespace polyloom::nbody::POLYLOOM_SIMD
