// SPDX-License-Identifier: Apache-2.0
// The integer implementation of binary32. A finite non-zero number is (-1)^sign * m * 2^e with an integer m;
// every operation computes such an m exactly, or with its last bit set when bits below were lost ("jammed":
// at least two bits more than a result keeps, so rounding sees the same), and round_pack() turns it into a
// number and flags.
#include "roles/overlay/sim/isa/fp.h"

#include <algorithm>

namespace polyloom::overlay::fp::exact {
namespace {

using Wide = unsigned __int128;

constexpr int kMinExponent = -126;  // of the smallest normal number
constexpr int kMaxExponent = 127;

struct Number {
  bool negative;
  int e;
  std::uint32_t m;  // normalised: bit 23 is the top bit, also for subnormals
};

bool is_negative(std::uint32_t a) { return (a & kSignBit) != 0; }
bool is_zero(std::uint32_t a) { return (a & ~kSignBit) == 0; }
bool is_infinite(std::uint32_t a) { return (a & ~kSignBit) == kInfinity; }
std::uint32_t signed_zero(bool negative) { return negative ? kSignBit : 0; }
std::uint32_t signed_infinity(bool negative) { return kInfinity | signed_zero(negative); }

/// Precondition: finite and not zero.
Number unpack(std::uint32_t a) {
  const int field = static_cast<int>((a >> 23) & 0xff);
  const std::uint32_t fraction = a & 0x007fffff;
  if (field != 0) return {is_negative(a), field - 150, fraction | kMinNormal};
  const int shift = std::countl_zero(fraction) - 8;
  return {is_negative(a), -149 - shift, fraction << shift};
}

std::uint32_t invalid(std::uint8_t& flags) {
  flags |= kNV;
  return kCanonicalNan;
}

/// Result of an operation with a NaN among its operands.
std::uint32_t propagate_nan(bool any_signaling, std::uint8_t& flags) {
  if (any_signaling) flags |= kNV;
  return kCanonicalNan;
}

/// Whether a magnitude is rounded away from zero, given its last kept bit and the dropped part compared with
/// half a unit of that bit (-1 below, 0 equal, 1 above) and with zero.
bool rounds_up(RoundingMode rm, bool negative, bool odd, int versus_half, bool dropped) {
  switch (rm) {
    case RoundingMode::rne:
      return versus_half > 0 || (versus_half == 0 && odd);
    case RoundingMode::rtz:
      return false;
    case RoundingMode::rdn:
      return negative && dropped;
    case RoundingMode::rup:
      return !negative && dropped;
    case RoundingMode::rmm:
      return versus_half >= 0;
  }
  return false;
}

struct Rounded {
  std::uint64_t value;
  bool inexact;
};

/// m * 2^-drop rounded to an integer, 0 <= drop <= 65.
Rounded round_shift(std::uint64_t m, int drop, RoundingMode rm, bool negative) {
  if (drop == 0) return {m, false};
  const Wide wide = m;
  const Wide kept = wide >> drop, rest = wide - (kept << drop), half = Wide{1} << (drop - 1);
  const bool up = rounds_up(rm, negative, (kept & 1) != 0,
                            rest > half    ? 1
                            : rest == half ? 0
                                           : -1,
                            rest != 0);
  return {static_cast<std::uint64_t>(kept) + (up ? 1 : 0), rest != 0};
}

std::uint32_t overflow(bool negative, RoundingMode rm, std::uint8_t& flags) {
  flags |= kOF | kNX;
  const bool to_infinity = rm == RoundingMode::rne || rm == RoundingMode::rmm ||
                           (rm == RoundingMode::rdn && negative) || (rm == RoundingMode::rup && !negative);
  return to_infinity ? signed_infinity(negative) : signed_infinity(negative) - 1;
}

/// (-1)^negative * m * 2^e as a binary32. Precondition: m != 0; if m is jammed it has at least 26 bits.
std::uint32_t round_pack(bool negative, int e, std::uint64_t m, RoundingMode rm, std::uint8_t& flags) {
  const int shift = std::countl_zero(m);
  m <<= shift;
  const int exponent = e - shift + 63;  // m is now 1.xxx * 2^exponent with 63 bits of fraction
  const bool below_normal = exponent < kMinExponent;
  const int drop = below_normal ? std::min(40 + kMinExponent - exponent, 65) : 40;
  const Rounded r = round_shift(m, drop, rm, negative);
  if (r.inexact) flags |= kNX;
  if (below_normal) {
    // Tiny unless rounding with an unbounded exponent would have carried up to the smallest normal number.
    const bool tiny = exponent < kMinExponent - 1 || round_shift(m, 40, rm, negative).value < (1u << 24);
    if (tiny && r.inexact) flags |= kUF;
    return signed_zero(negative) |
           static_cast<std::uint32_t>(r.value);  // a carry gives the smallest normal number
  }
  const bool carried = r.value == (1u << 24);
  const int final_exponent = exponent + (carried ? 1 : 0);
  if (final_exponent > kMaxExponent) return overflow(negative, rm, flags);
  const std::uint32_t fraction = carried ? 0 : static_cast<std::uint32_t>(r.value) & 0x007fffff;
  return signed_zero(negative) | static_cast<std::uint32_t>(final_exponent + 127) << 23 | fraction;
}

Wide shift_right_jam(Wide m, int n) {
  if (n == 0) return m;
  if (n > 127) return m != 0 ? 1 : 0;
  const Wide kept = m >> n;
  return kept | ((kept << n) != m ? 1 : 0);
}

/// The 64 leading bits of m, jammed; e follows.
std::uint64_t narrow(Wide m, int& e) {
  const std::uint64_t high = static_cast<std::uint64_t>(m >> 64);
  if (high == 0) return static_cast<std::uint64_t>(m);
  const int n = 64 - std::countl_zero(high);
  e += n;
  return static_cast<std::uint64_t>(shift_right_jam(m, n));
}

struct WideNumber {
  bool negative;
  int e;
  Wide m;  // normalised: bit 125 is the top bit, which leaves room for a carry
};

WideNumber widen(bool negative, int e, std::uint64_t m) {
  const int shift = 125 - (63 - std::countl_zero(m));
  return {negative, e - shift, Wide{m} << shift};
}

/// Sum of two numbers. Bits are lost in the alignment only when the exponents differ by more than 77, and
/// then no more than one leading bit cancels.
std::uint32_t add_wide(WideNumber a, WideNumber b, RoundingMode rm, std::uint8_t& flags) {
  if (a.e < b.e) std::swap(a, b);
  b.m = shift_right_jam(b.m, a.e - b.e);
  bool negative = a.negative;
  Wide m = a.m + b.m;
  if (a.negative != b.negative) {
    if (a.m == b.m) return signed_zero(rm == RoundingMode::rdn);
    if (a.m < b.m) negative = b.negative;
    m = a.m < b.m ? b.m - a.m : a.m - b.m;
  }
  int e = a.e;
  const std::uint64_t leading = narrow(m, e);
  return round_pack(negative, e, leading, rm, flags);
}

std::uint32_t add_zeros(bool a_negative, bool b_negative, RoundingMode rm) {
  return signed_zero(a_negative == b_negative ? a_negative : rm == RoundingMode::rdn);
}

std::uint32_t integer_root(std::uint64_t v, bool& remainder) {
  std::uint64_t root = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint64_t next = root | std::uint64_t{1} << bit;
    if (next * next <= v) root = next;
  }
  remainder = root * root != v;
  return static_cast<std::uint32_t>(root);
}

/// Integer nearest to a by mode, for |a| < 2^33; the sign is applied. Precondition: finite.
std::int64_t round_to_integer(std::uint32_t a, RoundingMode rm, bool& inexact) {
  inexact = false;
  if (is_zero(a)) return 0;
  const Number n = unpack(a);
  std::int64_t magnitude = 0;
  if (n.e >= 0) {
    magnitude = static_cast<std::int64_t>(n.m) << n.e;
  } else {
    const Rounded r = round_shift(n.m, std::min(-n.e, 65), rm, n.negative);
    magnitude = static_cast<std::int64_t>(r.value);
    inexact = r.inexact;
  }
  return n.negative ? -magnitude : magnitude;
}

std::uint32_t to_integer(std::uint32_t a, RoundingMode rm, std::int64_t low, std::int64_t high,
                         std::uint8_t& flags) {
  constexpr std::uint32_t kTwo33 = 0x50000000;
  const bool out = (a & ~kSignBit) >= kTwo33;  // also infinities and NaNs
  bool inexact = false;
  const std::int64_t value =
      out ? (is_negative(a) && !is_nan(a) ? low - 1 : high + 1) : round_to_integer(a, rm, inexact);
  if (value < low || value > high) {
    flags |= kNV;
    return static_cast<std::uint32_t>(value < low ? low : high);
  }
  if (inexact) flags |= kNX;
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::uint32_t add(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags) {
  if (is_nan(a) || is_nan(b)) return propagate_nan(is_signaling_nan(a) || is_signaling_nan(b), flags);
  if (is_infinite(a)) return is_infinite(b) && a != b ? invalid(flags) : a;
  if (is_infinite(b)) return b;
  if (is_zero(a)) return is_zero(b) ? add_zeros(is_negative(a), is_negative(b), rm) : b;
  if (is_zero(b)) return a;
  const Number x = unpack(a), y = unpack(b);
  return add_wide(widen(x.negative, x.e, x.m), widen(y.negative, y.e, y.m), rm, flags);
}

std::uint32_t mul(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags) {
  if (is_nan(a) || is_nan(b)) return propagate_nan(is_signaling_nan(a) || is_signaling_nan(b), flags);
  const bool negative = is_negative(a) != is_negative(b);
  if (is_infinite(a) || is_infinite(b))
    return is_zero(a) || is_zero(b) ? invalid(flags) : signed_infinity(negative);
  if (is_zero(a) || is_zero(b)) return signed_zero(negative);
  const Number x = unpack(a), y = unpack(b);
  return round_pack(negative, x.e + y.e, std::uint64_t{x.m} * y.m, rm, flags);
}

std::uint32_t div(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags) {
  if (is_nan(a) || is_nan(b)) return propagate_nan(is_signaling_nan(a) || is_signaling_nan(b), flags);
  const bool negative = is_negative(a) != is_negative(b);
  if (is_infinite(a)) return is_infinite(b) ? invalid(flags) : signed_infinity(negative);
  if (is_infinite(b)) return signed_zero(negative);
  if (is_zero(b)) {
    if (is_zero(a)) return invalid(flags);
    flags |= kDZ;
    return signed_infinity(negative);
  }
  if (is_zero(a)) return signed_zero(negative);
  const Number x = unpack(a), y = unpack(b);
  const std::uint64_t dividend = std::uint64_t{x.m} << 40;
  const std::uint64_t quotient = dividend / y.m;  // at least 40 bits
  return round_pack(negative, x.e - y.e - 40, quotient | (quotient * y.m != dividend ? 1 : 0), rm, flags);
}

std::uint32_t sqrt(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  if (is_nan(a)) return propagate_nan(is_signaling_nan(a), flags);
  if (is_zero(a)) return a;
  if (is_negative(a)) return invalid(flags);
  if (is_infinite(a)) return a;
  const Number n = unpack(a);
  const int odd = n.e & 1;
  bool remainder = false;
  const std::uint64_t root = integer_root(std::uint64_t{n.m} << (38 + odd), remainder);  // at least 31 bits
  return round_pack(false, (n.e - odd - 38) / 2, root | (remainder ? 1 : 0), rm, flags);
}

std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c, RoundingMode rm, std::uint8_t& flags) {
  const bool zero_times_infinity = (is_zero(a) && is_infinite(b)) || (is_infinite(a) && is_zero(b));
  if (zero_times_infinity) {  // invalid also when the addend is a quiet NaN
    return invalid(flags);
  }
  if (is_nan(a) || is_nan(b) || is_nan(c)) {
    return propagate_nan(is_signaling_nan(a) || is_signaling_nan(b) || is_signaling_nan(c), flags);
  }
  const bool negative = is_negative(a) != is_negative(b);
  if (is_infinite(a) || is_infinite(b)) {
    return is_infinite(c) && is_negative(c) != negative ? invalid(flags) : signed_infinity(negative);
  }
  if (is_infinite(c)) return c;
  if (is_zero(a) || is_zero(b)) return is_zero(c) ? add_zeros(negative, is_negative(c), rm) : c;
  const Number x = unpack(a), y = unpack(b);
  const std::uint64_t product = std::uint64_t{x.m} * y.m;
  if (is_zero(c)) return round_pack(negative, x.e + y.e, product, rm, flags);
  const Number z = unpack(c);
  return add_wide(widen(negative, x.e + y.e, product), widen(z.negative, z.e, z.m), rm, flags);
}

std::uint32_t to_int32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  return to_integer(a, rm, INT32_MIN, INT32_MAX, flags);
}
std::uint32_t to_uint32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  return to_integer(a, rm, 0, UINT32_MAX, flags);
}

std::uint32_t from_int32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  if (a == 0) return 0;
  const bool negative = is_negative(a);
  return round_pack(negative, 0, negative ? 0u - a : a, rm, flags);
}
std::uint32_t from_uint32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  return a == 0 ? 0 : round_pack(false, 0, a, rm, flags);
}

}  // namespace polyloom::overlay::fp::exact
