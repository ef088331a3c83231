// SPDX-License-Identifier: Apache-2.0
// Sixteen floats, AVX-512.
#pragma once

#include <immintrin.h>

namespace polyloom::nbody::POLYLOOM_SIMD {

constexpr unsigned kLanes = 16;
using V = __m512;
inline V splat(float v) { return _mm512_set1_ps(v); }
inline V load(const float* p) { return _mm512_loadu_ps(p); }
inline void store(float* p, V v) { _mm512_storeu_ps(p, v); }
inline V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
inline V fnma(V a, V b, V c) { return _mm512_fnmadd_ps(a, b, c); }
inline V max(V a, V b) { return _mm512_max_ps(a, b); }
inline V min(V a, V b) { return _mm512_min_ps(a, b); }
inline unsigned less(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
/// v where above limit, else zero.
inline V where_above(V x, V limit, V v) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, limit, _CMP_GT_OQ), v);
}
/// 1 / sqrt(x) to about one unit in the last place.
inline V rsqrt(V x) {
  const V y = _mm512_rsqrt14_ps(x);
  const V e = fnma(x * y, y, splat(1.0f));
  return fma(splat(0.5f) * y, e, y);
}
/// Writes the lanes of `mask` one after the other.
inline void pack(float* p, unsigned mask, V v) {
  _mm512_mask_compressstoreu_ps(p, static_cast<__mmask16>(mask), v);
}

}  // namespace polyloom::nbody::POLYLOOM_SIMD
