// SPDX-License-Identifier: Apache-2.0
// The timing engine for x86-64 hosts with AVX2 and BMI2: compiled for them, called only on them.
#include "roles/overlay/sim/tile/tile_window.h"

#if defined(__AVX2__) && defined(__BMI2__)
#include <immintrin.h>

namespace polyloom::overlay {

struct FastEngine {
  static Barrel::Issue window(Barrel& b, Cycle from, std::uint8_t* left);
  static bool crowded(const std::uint16_t* sets) {
    const __m128i s = _mm_load_si128(reinterpret_cast<const __m128i*>(sets));
    const __m128i more = _mm_and_si128(s, _mm_add_epi16(s, _mm_set1_epi16(-1)));
    return _mm_testz_si128(more, more) == 0;
  }
  static std::uint64_t pack_nibbles(std::uint64_t word, std::uint64_t mask) { return _pext_u64(word, mask); }
  static std::uint64_t spread_bits(std::uint32_t bits) { return _pdep_u64(bits, kBytesOfOne); }
  static unsigned count_bits(std::uint32_t byte) { return static_cast<unsigned>(_mm_popcnt_u32(byte)); }

 private:
  static __m128i issuing(std::uint64_t sofar);
  static __m128i decrement(__m128i left, __m128i threads, __m128i issued);
};

/// Which offsets issue, as bytes of ones, from the number of threads that have been in the queue up to each
/// offset. Up to and including offset o, min(o + 1, min over k <= o of sofar[k] + o - k) threads issue. So
/// with d(o) = min(1, min over k <= o of sofar[k] - k) and d(-1) = 1, one issues at o if d(o) = d(o - 1).
[[gnu::always_inline]] inline __m128i FastEngine::issuing(std::uint64_t sofar) {
  const __m128i one = _mm_set1_epi8(8);  // d is kept plus 7, so that it is never negative
  __m128i d = _mm_cvtsi64_si128(static_cast<long long>(sofar + 0x0001020304050607ull));
  d = _mm_min_epu8(d, one);
  d = _mm_min_epu8(d, _mm_alignr_epi8(d, one, 15));
  d = _mm_min_epu8(d, _mm_alignr_epi8(d, one, 14));
  d = _mm_min_epu8(d, _mm_alignr_epi8(d, one, 12));
  return _mm_cmpeq_epi8(d, _mm_alignr_epi8(d, one, 15));
}

/// left[t] - 1 for every thread t that issues.
[[gnu::always_inline]] inline __m128i FastEngine::decrement(__m128i left, __m128i threads, __m128i issued) {
  // The set of threads as 16 bits: the low half of the vector gathers threads 0..7, the high half 8..15.
  const __m128i bits = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i half = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
  const __m128i twice = _mm_xor_si128(_mm_unpacklo_epi64(threads, threads), half);
  const __m128i each = _mm_and_si128(_mm_shuffle_epi8(bits, twice), _mm_unpacklo_epi64(issued, issued));
  const __m128i sets = _mm_sad_epu8(each, _mm_setzero_si128());
  // And back to a byte a thread.
  const __m128i own = _mm_unpacklo_epi64(bits, bits);
  const __m128i member = _mm_cmpeq_epi8(_mm_and_si128(_mm_shuffle_epi8(sets, half), own), own);
  return _mm_add_epi8(left, member);
}

[[gnu::always_inline]] inline Barrel::Issue FastEngine::window(Barrel& b, Cycle from,
                                                               std::uint8_t* left_bytes) {
  const Barrel::Joining j = b.join<FastEngine>(from);
  const std::uint64_t sofar = (j.returned + j.resumed + b.count_) * kBytesOfOne;
  const std::uint64_t queue = b.queue_ | _pext_u64(j.threads, j.mask())
                                             << (4 * b.count_ & 63);  // full: none joins

  const __m128i issued = issuing(sofar);
  const auto issued_bits = static_cast<std::uint32_t>(_mm_movemask_epi8(issued)) & 0xffu;
  const auto issued_bytes = static_cast<std::uint64_t>(_mm_cvtsi128_si64(issued));
  const std::uint64_t threads = _pdep_u64(queue, issued_bytes & 0x0f0f0f0f0f0f0f0full);
  const unsigned n = count_bits(issued_bits);
  b.queue_ = queue >> (4 * n);
  b.count_ = static_cast<unsigned>(sofar >> 56) - n;

  const __m128i order = _mm_cvtsi64_si128(static_cast<long long>(threads));
  const __m128i left = _mm_load_si128(reinterpret_cast<const __m128i*>(left_bytes));
  const __m128i ended = _mm_cmpeq_epi8(_mm_shuffle_epi8(left, order), _mm_setzero_si128());
  _mm_store_si128(reinterpret_cast<__m128i*>(left_bytes), decrement(left, order, issued));
  return {threads, issued_bits, static_cast<std::uint32_t>(_mm_movemask_epi8(ended)) & issued_bits};
}

void advance_fast(Tile::Impl& tile, Cycle from) { advance_window<FastEngine>(tile, from); }

}  // namespace polyloom::overlay

#else  // another host: never called

namespace polyloom::overlay {
void advance_fast(Tile::Impl& tile, Cycle from) { advance_portable(tile, from); }
}  // namespace polyloom::overlay

#endif
