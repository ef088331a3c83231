// SPDX-License-Identifier: Apache-2.0
// Combiners: how messages to one vertex are merged before they travel. Same text on host and device; needs no
// library. Source: Pregel (combiners); beyond POLite.
//
// A vertex class with a combiner lets its messages be merged in any groups and in any order, all of which
// must leave the same state. It has either
//   typedef PSum<float> Combiner;                   an operator over the fields of M, all of that type
// or its own
//   static M identity();                            what changes nothing
//   static void combine(M& into, const M& from);    two messages in one
// and, if its edges have labels,
//   static void along(M& message, const E& label);  what a message is once it has come along an edge:
//                                                   recv(m, label) does what along(m, label) and then
//                                                   recv(m, neutralLabel()) do
//   static E neutralLabel();                        along() changes nothing with it
#pragma once

#include "polite/layout.h"
#include "polite/types.h"

namespace polyloom {
namespace polite {

/// Applies an operator to each field of two messages, which consist of fields of type T alone.
template <typename T, typename Operator>
struct FieldCombiner {
  typedef T Value;
  typedef Operator Function;
  static constexpr bool kIdempotent = Operator::kIdempotent;

  template <typename M>
  static INLINE void combine(M& into, const M& from) {
    check<M>();
    Field* const to = (Field*)&into;
    const Field* const other = (const Field*)&from;
    for (uint32_t i = 0; i < sizeof(M) / sizeof(T); ++i) to[i] = Operator::apply(to[i], other[i]);
  }
  template <typename M>
  static INLINE void set_identity(M& message) {
    check<M>();
    for (uint32_t i = 0; i < sizeof(M) / sizeof(T); ++i) ((Field*)&message)[i] = Operator::identity();
  }

 private:
  typedef T __attribute__((may_alias)) Field;
  /// Whether M is made of as many values of type T as have room in it, none of them narrowed.
  template <typename M, typename... Values>
  static constexpr bool consists(Values... values) {
    if constexpr ((sizeof...(Values) + 1) * sizeof(T) <= sizeof(M)) {
      return consists<M>(values..., T());
    } else {
      return requires { M{values...}; };
    }
  }
  template <typename M>
  static INLINE void check() {
    static_assert(
        sizeof(M) % sizeof(T) == 0 && alignof(M) >= alignof(T) && consists<M>(),
        "the combiner works on fields of one type, and the message does not consist of such fields: name "
        "their type (PSum<float>), or give the vertex class identity() and combine(M&, const M&)");
  }
};

/// The largest and the smallest value of a type of numbers; infinities where it has them.
template <typename T>
constexpr T top_value() {
  if constexpr (T(0.5) != T(0)) {
    return static_cast<T>(__builtin_inf());
  } else if constexpr (T(-1) > T(0)) {
    return static_cast<T>(-1);
  } else {
    return static_cast<T>((1ull << (8 * sizeof(T) - 1)) - 1);
  }
}
template <typename T>
constexpr T bottom_value() {
  if constexpr (T(0.5) != T(0)) {
    return -top_value<T>();
  } else if constexpr (T(-1) > T(0)) {
    return 0;
  } else {
    return static_cast<T>(-top_value<T>() - 1);
  }
}

/// Operators. One that selects gives the one of its two values that comes before() the other.
template <typename T>
struct AddFields {
  static constexpr bool kIdempotent = false, kSelects = false;
  static INLINE T apply(T a, T b) { return a + b; }
  static constexpr T identity() { return 0; }
};
template <typename T>
struct LeastFields {
  static constexpr bool kIdempotent = true, kSelects = true;
  static INLINE bool before(T a, T b) { return a < b; }
  static INLINE T apply(T a, T b) { return b < a ? b : a; }
  static constexpr T identity() { return top_value<T>(); }
};
template <typename T>
struct GreatestFields {
  static constexpr bool kIdempotent = true, kSelects = true;
  static INLINE bool before(T a, T b) { return b < a; }
  static INLINE T apply(T a, T b) { return a < b ? b : a; }
  static constexpr T identity() { return bottom_value<T>(); }
};
template <typename T>
struct OrFields {
  static constexpr bool kIdempotent = true, kSelects = false;
  static INLINE T apply(T a, T b) { return a | b; }
  static constexpr T identity() { return 0; }
};
template <typename T>
struct AndFields {
  static constexpr bool kIdempotent = true, kSelects = false;
  static INLINE T apply(T a, T b) { return a & b; }
  static constexpr T identity() { return static_cast<T>(~T(0)); }
};

/// What the platform asks of a vertex class about its combiner. Without one its functions do nothing.
template <typename Dev, typename E, typename M>
struct CombinerOf {
  static constexpr bool kCallable = requires(M & into, const M& from) { Dev::combine(into, from); };
  static constexpr bool kOwn = kCallable || requires { &Dev::combine; };
  static constexpr bool kNamed = requires { typename Dev::Combiner; };
  static constexpr bool kExists = kOwn || kNamed;
  /// A partial receiver knows how many messages a superstep brings, and sends on when all have come.
  static constexpr bool kCounts = kExists && Dev::sendsEveryStep;
  /// A partial receiver keeps what it has combined, and sends on what changes that.
  static constexpr bool kKeeps = kExists && Dev::monotone;

  static INLINE void combine(M& into, const M& from) {
    if constexpr (kOwn) {
      Dev::combine(into, from);
    } else if constexpr (kNamed) {
      Dev::Combiner::combine(into, from);
    }
  }
  static INLINE M identity() {
    if constexpr (kOwn) {
      return Dev::identity();
    } else {
      M message{};
      if constexpr (kNamed) Dev::Combiner::set_identity(message);
      return message;
    }
  }
  static INLINE void along(M& message, const E& label) {
    if constexpr (kExists && !__is_empty(E)) Dev::along(message, label);
  }
  static INLINE E neutral_label() {
    if constexpr (__is_empty(E)) {
      return E();
    } else {
      return Dev::neutralLabel();
    }
  }

  /// The first one by reference, or nothing would come of it, and no result.
  static constexpr bool takes_two_messages() {
    if constexpr (kCallable) {
      return __is_same(decltype(Dev::combine(message(), message())), void) && !requires(const M& constant) {
        Dev::combine(constant, constant);
      };
    } else {
      return false;
    }
  }
  static M& message();

  static constexpr bool check() {
    if constexpr (kExists) {
      static_assert(!(kOwn && kNamed),
                    "a vertex class has either a combine() of its own or a named Combiner");
      if constexpr (kOwn) {
        static_assert(
            takes_two_messages(),
            "combine is not static void combine(M& into, const M& from), of two messages of this program");
        static_assert(
            requires(M & message) { message = Dev::identity(); },
            "a vertex class with combine() needs static M identity(), the message that changes nothing");
      }
      if constexpr (!__is_empty(E)) {
        static_assert(
            requires(M & message, const E& label) { Dev::along(message, label); } &&
                !requires(const M& constant, const E& label) { Dev::along(constant, label); },
            "edges have labels, so the combiner needs static void along(M& message, const E& label): what a "
            "message is at the end of an edge");
        static_assert(
            requires(E & label) { label = Dev::neutralLabel(); },
            "edges have labels, so the combiner needs static E neutralLabel(): the one that along() ignores");
        static_assert(
            requires(Dev & dev, M * message, const E* label) { dev.recv(message, label); },
            "a program with a combiner must not write labels, because merged messages come with a neutral "
            "one: let "
            "recv take a const E*");
      }
      if constexpr (kNamed && Dev::monotone) {
        static_assert(Dev::Combiner::kIdempotent,
                      "monotone is for combiners that do not mind hearing a message twice, and a sum does");
      }
      static_assert(
          !(Dev::sendsEveryStep && Dev::monotone),
          "a combiner waits for all messages of a superstep (sendsEveryStep) or sends on what improves at "
          "once (monotone); a program cannot ask for both");
      static_assert(
          !Dev::sendsEveryStep || Dev::numPins == 1,
          "sendsEveryStep counts messages of vertices that all send on one pin: leave it out with more pins");
    }
    return true;
  }
  static_assert(check());
};

}  // namespace polite
}  // namespace polyloom

/// Named combiners, over the fields of a message: all of type T.
template <typename T>
struct PSum : polyloom::polite::FieldCombiner<T, polyloom::polite::AddFields<T>> {};
template <typename T>
struct PMin : polyloom::polite::FieldCombiner<T, polyloom::polite::LeastFields<T>> {};
template <typename T>
struct PMax : polyloom::polite::FieldCombiner<T, polyloom::polite::GreatestFields<T>> {};
template <typename T>
struct POr : polyloom::polite::FieldCombiner<T, polyloom::polite::OrFields<T>> {};
template <typename T>
struct PAnd : polyloom::polite::FieldCombiner<T, polyloom::polite::AndFields<T>> {};
