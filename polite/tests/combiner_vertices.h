// SPDX-License-Identifier: Apache-2.0
// Vertex programs with combiners, whose result depends on every message of every superstep: combiner_test.cc
// runs them on the device's code. POLITE_NUM_PINS says which there are.
#pragma once

#include <POLite.h>

INLINE uint32_t mix(uint32_t a, uint32_t b) {
  a = (a ^ b) * 0x9e3779b1u + 0x7f4a7c15u;
  return (a ^ (a >> 15)) * 0x85ebca77u;
}

/// What vertices draw and digest: whole numbers, so that sums of floats are exact too.
template <typename T>
INLINE T drawn(uint32_t bits) {
  if constexpr (T(0.5) != T(0)) {
    return static_cast<T>(static_cast<int32_t>(bits & 2047) - 1000);
  } else {
    return static_cast<T>(bits * 0x100000001ull);
  }
}
template <typename T>
INLINE uint32_t digested(uint32_t digest, T value) {
  if constexpr (T(0.5) != T(0)) {
    return mix(digest, __builtin_bit_cast(uint32_t, value));
  } else {
    const uint64_t bits = static_cast<uint64_t>(value);
    return mix(mix(digest, static_cast<uint32_t>(bits)), static_cast<uint32_t>(bits >> 32));
  }
}

/// A message of N fields of one type.
template <typename T, uint32_t N>
struct Fields {
  T field[N];
  INLINE void draw(uint32_t bits) {
    for (uint32_t i = 0; i < N; ++i) field[i] = drawn<T>(mix(bits, i));
  }
  INLINE uint32_t digest(uint32_t start) const {
    for (uint32_t i = 0; i < N; ++i) start = digested(start, field[i]);
    return start;
  }
};

enum class Policy { everyStep, monotone, eager, neither };

template <typename M, uint32_t Extra>
struct TraceState {
  M value, heard;
  uint32_t id, digest, rounds, silent;  ///< `silent`: breaks the promise of sendsEveryStep from this round on
  uint32_t extra[Extra];                ///< makes states large
};
struct TraceResult {
  uint32_t id, digest, rounds;
};

/// - everyStep: all vertices send in each round what depends on all that they have heard so far.
/// - neither: the same, but who sends, and on which pin, is drawn.
/// - monotone: a vertex that has learnt something in a round tells it in the next one. eager: at once.
template <typename Program, typename M, typename E, Policy kPolicy, uint32_t Extra = 1>
struct TraceVertex : PVertex<TraceState<M, Extra>, E, M> {
  typedef polyloom::polite::CombinerOf<Program, E, M> Combining;
  static constexpr uint32_t kRounds = 4;
  static constexpr Policy policy = kPolicy;
  static constexpr bool sendsEveryStep = kPolicy == Policy::everyStep;
  static constexpr bool monotone = kPolicy == Policy::monotone || kPolicy == Policy::eager;

  static INLINE PPin pin_of(uint32_t digest, uint32_t id) {
    if (kPolicy == Policy::everyStep) return Pin(0);
    const uint32_t bits = mix(digest, id) >> 7;
    return (bits & 3) == 0 ? Pin(static_cast<uint8_t>((bits >> 2) % POLITE_NUM_PINS)) : No;
  }
  INLINE void request() {
    auto* s = this->s;
    *this->readyToSend = monotone ? Pin(0) : pin_of(s->digest, s->id);
    if (s->silent != 0 && s->rounds + 1 >= s->silent) *this->readyToSend = No;
  }
  void init() {
    auto* s = this->s;
    s->digest = s->id;
    s->value.draw(s->id);
    s->heard = Combining::identity();
    request();
  }
  void send(M* m) {
    *m = this->s->value;
    // What monotone programs have learnt goes out on all pins, one after the other.
    const PPin next = static_cast<PPin>(*this->readyToSend + 1);
    *this->readyToSend = monotone && next < Pin(POLITE_NUM_PINS) ? next : No;
  }
  void recv(M* m, const E* label) {
    M message = *m;
    Combining::along(message, *label);
    M* const to = kPolicy == Policy::eager ? &this->s->value : &this->s->heard;
    const uint32_t before = to->digest(0);
    Combining::combine(*to, message);
    if (kPolicy == Policy::eager && to->digest(0) != before) *this->readyToSend = Pin(0);
  }
  bool step() {
    auto* s = this->s;
    ++s->rounds;
    if (kPolicy == Policy::eager) return false;
    if (kPolicy == Policy::monotone) {
      const uint32_t before = s->value.digest(0);
      Combining::combine(s->value, s->heard);
      const uint32_t now = s->value.digest(0);
      if (now != before) {
        s->digest = mix(mix(s->digest, now), this->time);
        request();
      }
      return now != before;
    }
    s->digest = s->heard.digest(s->digest);
    s->heard = Combining::identity();
    s->value.draw(s->digest);
    request();
    return this->time + 1u < kRounds;  // what goes out now arrives before finish, this being the last step
  }
  bool finish(TraceResult* m) {
    m->id = this->s->id;
    m->digest = kPolicy == Policy::eager      ? this->s->value.digest(0)
                : kPolicy == Policy::monotone ? this->s->digest
                                              : this->s->heard.digest(this->s->digest);
    m->rounds = this->s->rounds;
    return true;
  }
};

#if POLITE_NUM_PINS == 1

struct SumVertex : TraceVertex<SumVertex, Fields<uint32_t, 1>, None, Policy::everyStep> {
  typedef PSum<uint32_t> Combiner;
};

/// Edges whose label changes the message, and a neutral label that is not zero; 3 flits; large states.
typedef Fields<int32_t, 10> Scaled;
struct ScaledVertex : TraceVertex<ScaledVertex, Scaled, int16_t, Policy::everyStep, 40> {
  static Scaled identity() { return {}; }
  static void combine(Scaled& into, const Scaled& from) {
    for (uint32_t i = 0; i < 10; ++i)
      into.field[i] =
          static_cast<int32_t>(static_cast<uint32_t>(into.field[i]) + static_cast<uint32_t>(from.field[i]));
  }
  static void along(Scaled& message, int16_t factor) {
    for (int32_t& field : message.field)
      field = static_cast<int32_t>(static_cast<uint32_t>(field) * static_cast<uint32_t>(factor));
  }
  static int16_t neutralLabel() { return 1; }
};

struct OrVertex : TraceVertex<OrVertex, Fields<uint16_t, 5>, None, Policy::monotone> {
  typedef POr<uint16_t> Combiner;
};
struct GreatestVertex : TraceVertex<GreatestVertex, Fields<float, 2>, None, Policy::monotone> {
  typedef PMax<float> Combiner;
};
struct AndVertex : TraceVertex<AndVertex, Fields<uint8_t, 3>, None, Policy::neither> {
  typedef PAnd<uint8_t> Combiner;
};

/// Fields of several kinds, with a gap between them.
struct Kinds {
  uint8_t bits;
  int64_t least;
  uint16_t greatest;
  INLINE void draw(uint32_t seed) {
    bits = static_cast<uint8_t>(1u << (mix(seed, 1) >> 13) % 8);
    least = drawn<int64_t>(mix(seed, 2));
    greatest = drawn<uint16_t>(mix(seed, 3));
  }
  INLINE uint32_t digest(uint32_t start) const {
    return digested(digested(digested(start, bits), least), greatest);
  }
};
struct KindsVertex : TraceVertex<KindsVertex, Kinds, None, Policy::eager> {
  static Kinds identity() { return {0, INT64_MAX, 0}; }
  static void combine(Kinds& into, const Kinds& from) {
    into.bits |= from.bits;
    if (from.least < into.least) into.least = from.least;
    if (from.greatest > into.greatest) into.greatest = from.greatest;
  }
};

#else

/// The lowest bottleneck of all ways.
struct LeastVertex : TraceVertex<LeastVertex, Fields<int32_t, 1>, int32_t, Policy::eager> {
  typedef PMin<int32_t> Combiner;
  static void along(Fields<int32_t, 1>& message, int32_t bound) {
    if (message.field[0] < bound) message.field[0] = bound;
  }
  static int32_t neutralLabel() { return INT32_MIN; }
};
struct LeastSignedVertex : TraceVertex<LeastSignedVertex, Fields<int8_t, 6>, None, Policy::neither> {
  typedef PMin<int8_t> Combiner;
};
struct FloatSumVertex : TraceVertex<FloatSumVertex, Fields<float, 4>, float, Policy::neither, 20> {
  typedef PSum<float> Combiner;
  static void along(Fields<float, 4>& message, float factor) {
    for (float& field : message.field) field *= factor;
  }
  static float neutralLabel() { return 1; }
};

#endif
