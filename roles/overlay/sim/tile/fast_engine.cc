// SPDX-License-Identifier: Apache-2.0
// The timing engine for x86-64 hosts with AVX2 and BMI2: compiled for them, called only on them. Byte 8*core
// + o of a vector belongs to a core's offset o.
#include "roles/overlay/sim/tile/tile_window.h"

#if defined(__AVX2__) && defined(__BMI2__)
#include <immintrin.h>

namespace polyloom::overlay {
namespace {

using Vec = __m256i;

[[gnu::always_inline]] inline Vec load(const void* p) {
  return _mm256_load_si256(static_cast<const Vec*>(p));
}
[[gnu::always_inline]] inline void store(void* p, Vec v) { _mm256_store_si256(static_cast<Vec*>(p), v); }
[[gnu::always_inline]] inline Vec bytes(int b) { return _mm256_set1_epi8(static_cast<char>(b)); }
[[gnu::always_inline]] inline Vec words(std::uint64_t w) {
  return _mm256_set1_epi64x(static_cast<long long>(w));
}
[[gnu::always_inline]] inline std::uint32_t top_bits(Vec v) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(v));
}

/// Which offsets issue, as bytes of ones, from the number of threads that have been in the queue up to each
/// offset. Up to and including offset o, min(o + 1, min over k <= o of sofar[k] + o - k) threads issue. So
/// with d(o) = min(1, min over k <= o of sofar[k] - k) and d(-1) = 1, one issues at o if d(o) = d(o - 1).
[[gnu::always_inline]] inline Vec issuing(Vec sofar) {
  // d is kept plus 7, so that it is never negative.
  Vec d = _mm256_add_epi8(sofar, words(0x0001020304050607ull));
  d = _mm256_min_epu8(d, bytes(8));
  d = _mm256_min_epu8(d, _mm256_or_si256(_mm256_slli_epi64(d, 8), words(0x08)));
  d = _mm256_min_epu8(d, _mm256_or_si256(_mm256_slli_epi64(d, 16), words(0x0808)));
  d = _mm256_min_epu8(d, _mm256_or_si256(_mm256_slli_epi64(d, 32), words(0x08080808)));
  return _mm256_cmpeq_epi8(d, _mm256_or_si256(_mm256_slli_epi64(d, 8), words(0x08)));
}

/// table[slot of the thread] for every byte of `threads`. Rows of the table: cores 0, 2, 1, 3.
[[gnu::always_inline]] inline Vec look_up(Vec even, Vec odd, Vec threads) {
  return _mm256_blend_epi32(_mm256_shuffle_epi8(even, threads), _mm256_shuffle_epi8(odd, threads), 0xcc);
}

}  // namespace

struct FastEngine {
  static Issue window(Barrels& b, Cycle from, Progress& p, Barrels::Threads& threads);
  static bool returning(Barrels& b, const Barrels::Threads& threads, std::uint32_t back);
  static void response(std::uint64_t* calendar, std::uint64_t granted);
  static std::uint64_t latencies(std::uint64_t granted, const Progress& p, const Latencies& latency);
  static std::uint64_t pack_nibbles(std::uint64_t word, std::uint64_t mask) { return _pext_u64(word, mask); }
  static std::uint64_t unpack_nibbles(std::uint64_t word, std::uint64_t mask) {
    return _pdep_u64(word, mask);
  }
  static std::uint64_t spread_bits(std::uint32_t bits) { return _pdep_u64(bits, kBytesOfOne); }
  static unsigned count_bits(std::uint64_t word) { return static_cast<unsigned>(_mm_popcnt_u64(word)); }
  static std::uint64_t equal_bytes(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_cmpeq_epi8(
        _mm_cvtsi64_si128(static_cast<long long>(a)), _mm_cvtsi64_si128(static_cast<long long>(b)))));
  }
  static unsigned set_of(std::uint32_t counts) { return _pext_u32(counts + 0x7f7f7f7fu, 0x80808080u); }

 private:
  /// Words of a vector: the threads of a core at an offset, cores 0..3 of one offset side by side; offsets 0,
  /// 1, 4, 5 in `early`, the others in `late`.
  struct Responses {
    Vec early, late;
  };
  static Responses join_in_turn(Barrels& b, Cycle from, const std::uint64_t* page);
  static Vec join(Barrels& b, Cycle from);
};

/// When several threads of a core are answered or wait, they join one a cycle. Sets are rotated so that the
/// thread whose turn it is in this window is bit 0.
[[gnu::always_inline]] inline FastEngine::Responses FastEngine::join_in_turn(Barrels& b, Cycle from,
                                                                             const std::uint64_t* page) {
  const auto turn = static_cast<int>(Barrels::turn_of(from));
  const __m128i right = _mm_cvtsi32_si128(turn), left = _mm_cvtsi32_si128(16 - turn);
  alignas(32) std::array<std::uint64_t, kWindow> responded;
  for (unsigned o = 0; o < kWindow; o += 4) {
    const Vec sets = load(page + o);
    store(&responded[o], _mm256_or_si256(_mm256_srl_epi16(sets, right), _mm256_sll_epi16(sets, left)));
  }
  __m128i waiting = _mm_cvtsi64_si128(static_cast<long long>(b.waiting_));
  waiting = _mm_or_si128(_mm_srl_epi16(waiting, right), _mm_sll_epi16(waiting, left));
  __m128i first[kWindow];
#pragma GCC unroll 8
  for (unsigned o = 0; o < kWindow; ++o) {
    waiting = _mm_or_si128(waiting, _mm_cvtsi64_si128(static_cast<long long>(responded[o])));
    const __m128i others = _mm_and_si128(waiting, _mm_add_epi16(waiting, _mm_set1_epi16(-1)));
    first[o] = _mm_xor_si128(waiting, others);
    waiting = others;
  }
  const auto back = [&](unsigned a, unsigned c) {
    const Vec v = _mm256_set_m128i(_mm_unpacklo_epi64(first[c], first[c + 1]),
                                   _mm_unpacklo_epi64(first[a], first[a + 1]));
    return _mm256_or_si256(_mm256_sll_epi16(v, right), _mm256_srl_epi16(v, left));
  };
  waiting = _mm_or_si128(_mm_sll_epi16(waiting, right), _mm_srl_epi16(waiting, left));
  b.waiting_ = static_cast<std::uint64_t>(_mm_cvtsi128_si64(waiting));
  return {back(0, 4), back(2, 6)};
}

/// The thread that joins each core at each offset, as kResponse | thread; 0 where none does.
[[gnu::always_inline]] inline Vec FastEngine::join(Barrels& b, Cycle from) {
  std::uint64_t* page = b.open_page(from);
  const Vec low = load(page), high = load(page + 4);
  const Vec ones = _mm256_set1_epi16(-1), zero = _mm256_setzero_si256();
  const Vec more = _mm256_or_si256(_mm256_and_si256(low, _mm256_add_epi16(low, ones)),
                                   _mm256_and_si256(high, _mm256_add_epi16(high, ones)));
  Responses joined{_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31)};
  if (b.waiting_ != 0 || !_mm256_testz_si256(more, more)) joined = join_in_turn(b, from, page);
  store(page, zero);
  store(page + 4, zero);
  // The number of a set's only bit: by a de Bruijn sequence, whose 16 pieces of 4 bits all differ.
  constexpr int kSequence = 0x09af;
  const auto piece = [](Vec v) {
    return _mm256_srli_epi16(_mm256_mullo_epi16(v, _mm256_set1_epi16(kSequence)), 12);
  };
  constexpr auto kThread = [] {
    std::array<char, 16> table{};
    for (unsigned t = 0; t < 16; ++t)
      table[(kSequence << t & 0xffff) >> 12] = static_cast<char>(Barrels::kResponse | t);
    return table;
  }();
  const Vec table = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&kThread)));
  const Vec threads =
      _mm256_shuffle_epi8(table, _mm256_packus_epi16(piece(joined.early), piece(joined.late)));
  const Vec none =
      _mm256_packs_epi16(_mm256_cmpeq_epi16(joined.early, zero), _mm256_cmpeq_epi16(joined.late, zero));
  // From offset by offset to core by core.
  const Vec by_core = _mm256_shuffle_epi8(
      _mm256_andnot_si256(none, threads),
      _mm256_broadcastsi128_si256(_mm_set_epi8(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0)));
  return _mm256_permutevar8x32_epi32(by_core, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}

[[gnu::always_inline]] inline Issue FastEngine::window(Barrels& b, Cycle from, Progress& p,
                                                       Barrels::Threads& threads) {
  const Vec zero = _mm256_setzero_si256();
  const Vec response = join(b, from);

  // Who joins, where, and how many have been in the queue by then.
  const Vec resumed = _mm256_and_si256(_mm256_srli_epi16(response, 7), bytes(1)), returned = load(&b.back_);
  const Vec joining =
      _mm256_or_si256(load(&b.back_threads_), _mm256_slli_epi16(_mm256_and_si256(response, bytes(0x0f)), 4));
  const Vec mask = _mm256_or_si256(_mm256_and_si256(_mm256_sub_epi8(zero, returned), bytes(0x0f)),
                                   _mm256_and_si256(_mm256_sub_epi8(zero, resumed), bytes(0xf0)));
  Vec sofar = _mm256_add_epi8(resumed, returned);
  sofar = _mm256_add_epi8(sofar, _mm256_slli_epi64(sofar, 8));
  sofar = _mm256_add_epi8(sofar, _mm256_slli_epi64(sofar, 16));
  sofar = _mm256_add_epi8(sofar, _mm256_slli_epi64(sofar, 32));
  const Vec first_bytes = _mm256_set_epi64x(0x0808080808080808, 0, 0x0808080808080808, 0);
  const Vec counts = load(&b.count_);
  sofar = _mm256_add_epi8(sofar, _mm256_shuffle_epi8(counts, first_bytes));
  const Vec issued = issuing(sofar);

  alignas(32) std::array<std::uint64_t, kMaxCores> join, at, go;
  store(&join, joining);
  store(&at, mask);
  store(&go, issued);
#pragma GCC unroll 4
  for (unsigned k = 0; k < kMaxCores; ++k) {
    const std::uint64_t queue = b.queue_[k] | _pext_u64(join[k], at[k])
                                                  << (4 * b.count_[k] & 63);  // full: none
    threads[k] = _pdep_u64(queue, go[k] & 0x0f * kBytesOfOne);
    b.queue_[k] = queue >> (4 * count_bits(go[k] & kBytesOfOne));
  }
  const Vec number = _mm256_sad_epu8(_mm256_and_si256(issued, bytes(1)), zero);
  store(&b.count_, _mm256_sub_epi64(_mm256_srli_epi64(sofar, 56), number));
  store(&b.issued_, _mm256_add_epi64(load(&b.issued_), number));

  // Whose run of plain instructions has ended, and with what.
  const Vec order = _mm256_set_epi64x(static_cast<long long>(threads[3]), static_cast<long long>(threads[2]),
                                      static_cast<long long>(threads[1]), static_cast<long long>(threads[0]));
  const Vec left_even = load(&p.left[0]), left_odd = load(&p.left[32]);
  const Vec next_even = load(&p.next[0]), next_odd = load(&p.next[32]);
  const Vec ended = _mm256_and_si256(_mm256_cmpeq_epi8(look_up(left_even, left_odd, order), zero), issued);
  const Vec codes = _mm256_and_si256(look_up(next_even, next_odd, order), ended);

  // The threads that issued, as a set of 16 for each core: bits 0..7 and 8..15 are gathered apart.
  const Vec own = words(0x8040201008040201ull);
  const Vec each = _mm256_and_si256(_mm256_shuffle_epi8(own, order), issued);
  const Vec upper = _mm256_cmpgt_epi8(order, bytes(7));
  const Vec set = _mm256_or_si256(_mm256_sad_epu8(_mm256_andnot_si256(upper, each), zero),
                                  _mm256_slli_epi64(_mm256_sad_epu8(_mm256_and_si256(upper, each), zero), 8));
  // And back to a byte a slot.
  const auto member = [&](long long low, long long high) {
    const Vec spread = _mm256_shuffle_epi8(set, _mm256_set_epi64x(high, low, high, low));
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, own), own);
  };
  const Vec even = member(0, 0x0101010101010101), odd = member(0x0808080808080808, 0x0909090909090909);
  store(&p.left[0], _mm256_add_epi8(left_even, even));
  store(&p.left[32], _mm256_add_epi8(left_odd, odd));
  const Vec ended_even = _mm256_and_si256(even, _mm256_cmpeq_epi8(left_even, zero));
  const Vec ended_odd = _mm256_and_si256(odd, _mm256_cmpeq_epi8(left_odd, zero));
  store(&p.current[0], _mm256_blendv_epi8(load(&p.current[0]), next_even, ended_even));
  store(&p.current[32], _mm256_blendv_epi8(load(&p.current[32]), next_odd, ended_odd));

  // Between a hit and the units above the cache.
  const auto special = [&](Vec next, Vec which) {
    return top_bits(_mm256_and_si256(which, _mm256_and_si256(_mm256_cmpgt_epi8(next, bytes(event::kCache)),
                                                             _mm256_cmpgt_epi8(bytes(event::kFpu), next))));
  };
  static_assert(event::kControl == 0x80 && event::kScratchpad == 0x40 && event::kFpu == 0x20 &&
                event::kCache == 0x10);
  return {.issued = top_bits(issued),
          .cache = top_bits(_mm256_slli_epi16(codes, 3)),
          .fpu = top_bits(_mm256_slli_epi16(codes, 2)),
          .scratchpad = top_bits(_mm256_slli_epi16(codes, 1)),
          .control = top_bits(codes),
          .events = top_bits(ended_even) | std::uint64_t{top_bits(ended_odd)} << 32,
          .special = special(next_even, ended_even) | std::uint64_t{special(next_odd, ended_odd)} << 32};
}

[[gnu::always_inline]] inline void FastEngine::response(std::uint64_t* calendar, std::uint64_t granted) {
  // Shifted by 64 or more, nothing is left.
  const __m128i counts =
      _mm_cvtsi64_si128(static_cast<long long>(granted ^ UnitQueue::kGranted * kBytesOfOne));
  const auto enter = [&](std::uint64_t* at, __m128i four) {
    auto* p = reinterpret_cast<Vec*>(at);
    const Vec sets = _mm256_sllv_epi64(words(1), _mm256_cvtepu8_epi64(four));
    _mm256_storeu_si256(p, _mm256_or_si256(_mm256_loadu_si256(p), sets));
  };
  enter(calendar, counts);
  enter(calendar + 4, _mm_srli_epi64(counts, 32));
}

[[gnu::always_inline]] inline std::uint64_t FastEngine::latencies(std::uint64_t granted, const Progress& p,
                                                                  const Latencies& latency) {
  const __m128i grants = _mm_cvtsi64_si128(static_cast<long long>(granted));
  const __m128i none = _mm_set1_epi8(static_cast<char>(0x80));
  __m128i events = _mm_setzero_si128();
#pragma GCC unroll 4
  for (unsigned k = 0; k < kMaxCores; ++k) {
    // An index with its top bit set gives 0.
    const __m128i own = _mm_cmpeq_epi8(_mm_and_si128(grants, _mm_set1_epi8(static_cast<char>(0xf0))),
                                       _mm_set1_epi8(static_cast<char>(0x80 | k << 4)));
    const __m128i row = _mm_load_si128(reinterpret_cast<const __m128i*>(&p.current[slot_of(k, 0)]));
    const __m128i index = _mm_or_si128(_mm_and_si128(grants, _mm_set1_epi8(15)), _mm_andnot_si128(own, none));
    events = _mm_or_si128(events, _mm_shuffle_epi8(row, index));
  }
  const __m128i table = _mm_load_si128(reinterpret_cast<const __m128i*>(latency.data()));
  return static_cast<std::uint64_t>(
      _mm_cvtsi128_si64(_mm_shuffle_epi8(table, _mm_and_si128(events, _mm_set1_epi8(15)))));
}

[[gnu::always_inline]] inline bool FastEngine::returning(Barrels& b, const Barrels::Threads& threads,
                                                         std::uint32_t back) {
  const Vec own = words(0x8040201008040201ull);
  const Vec core = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  const Vec spread = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(back)), core);
  const Vec come = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(spread, own), own), bytes(1));
  store(&b.back_, come);
  b.back_threads_ = threads;
  return back != 0 || b.queued();
}

void advance_fast(Tile::Impl& tile, Cycle from) { advance_window<FastEngine>(tile, from); }

}  // namespace polyloom::overlay

#else  // another host: never called

namespace polyloom::overlay {
void advance_fast(Tile::Impl& tile, Cycle from) { advance_portable(tile, from); }
}  // namespace polyloom::overlay

#endif
