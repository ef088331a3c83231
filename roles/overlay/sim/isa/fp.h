// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 arithmetic as RISC-V's F extension defines it, on bit patterns.
//
// Contract. Every function gives the exactly rounded result in all five rounding modes, subnormals included;
// NaN results are the canonical NaN; `flags` accumulates (never clears) the exceptions raised. Underflow is
// detected after rounding. No state, no exceptions, any thread. How. Round-to-nearest on ordinary operands
// uses the host's arithmetic, and finds inexactness from residues that the host computes exactly; everything
// else goes to the integer implementation in namespace fp::exact (fp.cc). The fast paths need the host's
// default environment (round to nearest, no flush to zero) and never change or read it. Cost: about 1-3 ns a
// fast operation, 5-25 ns an exact one (see README.md). Source: RISC-V unprivileged ISA 20191213, chapter 11.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace polyloom::overlay::fp {

/// Encodings of rm and frm. 5 and 6 are reserved; 7 in an instruction means "as in frm".
enum class RoundingMode : std::uint8_t { rne = 0, rtz = 1, rdn = 2, rup = 3, rmm = 4 };

enum Flag : std::uint8_t { kNX = 1, kUF = 2, kOF = 4, kDZ = 8, kNV = 16 };  ///< bits of fflags

inline constexpr std::uint32_t kCanonicalNan = 0x7fc00000;
inline constexpr std::uint32_t kSignBit = 0x80000000;
inline constexpr std::uint32_t kInfinity = 0x7f800000;
inline constexpr std::uint32_t kMinNormal = 0x00800000;

constexpr bool is_nan(std::uint32_t a) { return (a & ~kSignBit) > kInfinity; }
constexpr bool is_signaling_nan(std::uint32_t a) { return is_nan(a) && (a & 0x00400000) == 0; }

/// The integer implementation: any operands, any mode.
namespace exact {
std::uint32_t add(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags);
std::uint32_t mul(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags);
std::uint32_t div(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags);
std::uint32_t sqrt(std::uint32_t a, RoundingMode rm, std::uint8_t& flags);
/// a * b + c, rounded once.
std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c, RoundingMode rm, std::uint8_t& flags);
std::uint32_t to_int32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags);
std::uint32_t to_uint32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags);
std::uint32_t from_int32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags);
std::uint32_t from_uint32(std::uint32_t a, RoundingMode rm, std::uint8_t& flags);
}  // namespace exact

namespace detail {
inline float as_float(std::uint32_t a) { return std::bit_cast<float>(a); }
inline double as_double(std::uint32_t a) { return static_cast<double>(std::bit_cast<float>(a)); }
inline std::uint32_t as_bits(float f) { return std::bit_cast<std::uint32_t>(f); }

/// A rounded result whose magnitude lies strictly between the smallest normal number and infinity: it has
/// neither overflowed nor is tiny, before or after rounding.
constexpr bool is_ordinary(std::uint32_t r) {
  return (r & ~kSignBit) - kMinNormal - 1 < kInfinity - kMinNormal - 1;
}

inline void inexact_if(bool inexact, std::uint8_t& flags) {
  flags = static_cast<std::uint8_t>(flags | static_cast<std::uint8_t>(inexact));
  static_assert(kNX == 1);
}
}  // namespace detail

/// Round to nearest, on the host. False, with nothing done, for operands or results that need the integer
/// implementation.
namespace fast {
inline bool add(std::uint32_t a, std::uint32_t b, std::uint32_t& result, std::uint8_t& flags) {
  // Below 2^126 neither the sum nor the residue's terms overflow. A sum never underflows inexactly, so zeros
  // and subnormals are ordinary here. The residue is Knuth's TwoSum: exactly (a + b) - r.
  constexpr std::uint32_t kBound = 253u << 23;
  if ((a & ~kSignBit) >= kBound || (b & ~kSignBit) >= kBound) [[unlikely]]
    return false;
  const float x = detail::as_float(a), y = detail::as_float(b);
  const float r = x + y;
  const float y_part = r - x;
  const float x_part = r - y_part;
  const float residue = (x - x_part) + (y - y_part);
  detail::inexact_if(residue != 0.0f, flags);
  result = detail::as_bits(r);
  return true;
}

inline bool mul(std::uint32_t a, std::uint32_t b, std::uint32_t& result, std::uint8_t& flags) {
  const double product = detail::as_double(a) * detail::as_double(b);  // exact: 48 bits
  const float r = static_cast<float>(product);
  const bool inexact = static_cast<double>(r) != product;
  result = detail::as_bits(r);
  // Zeros, exact subnormals and infinities will do as well; a NaN compares unequal to itself.
  if (!detail::is_ordinary(result) && inexact) [[unlikely]]
    return false;
  detail::inexact_if(inexact, flags);
  return true;
}

/// a * b + c, rounded once.
inline bool fma(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& result,
                std::uint8_t& flags) {
  const double product = detail::as_double(a) * detail::as_double(b);  // exact: 48 bits
  const double addend = detail::as_double(c);
  double sum = product + addend;
  // No residue of an infinity or NaN, which would raise flags on the host.
  constexpr double kBound = 0x1p300;
  if ((std::bit_cast<std::uint64_t>(sum) & ~std::uint64_t{0} >> 1) >= std::bit_cast<std::uint64_t>(kBound))
      [[unlikely]]
    return false;
  const double addend_part = sum - product;
  const double product_part = sum - addend_part;
  const double residue = (product - product_part) + (addend - addend_part);
  if (residue != 0.0) {
    // Round the sum to odd instead of to even: then rounding it again to 24 bits is as good as rounding
    // once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
    std::uint64_t odd = std::bit_cast<std::uint64_t>(sum);
    if ((odd & 1) == 0) odd += (residue > 0.0) == (sum > 0.0) ? 1 : ~std::uint64_t{0};
    sum = std::bit_cast<double>(odd);
  }
  const float r = static_cast<float>(sum);
  result = detail::as_bits(r);
  const bool inexact = residue != 0.0 || static_cast<double>(r) != sum;
  if (!detail::is_ordinary(result) && inexact) [[unlikely]]
    return false;
  detail::inexact_if(inexact, flags);
  return true;
}
}  // namespace fast

inline std::uint32_t fadd(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags) {
  std::uint32_t result;
  return rm == RoundingMode::rne && fast::add(a, b, result, flags) ? result : exact::add(a, b, rm, flags);
}

inline std::uint32_t fsub(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags) {
  return fadd(a, b ^ kSignBit, rm, flags);  // a NaN's sign is never seen
}

inline std::uint32_t fmul(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags) {
  std::uint32_t result;
  return rm == RoundingMode::rne && fast::mul(a, b, result, flags) ? result : exact::mul(a, b, rm, flags);
}

inline std::uint32_t fdiv(std::uint32_t a, std::uint32_t b, RoundingMode rm, std::uint8_t& flags) {
  if (rm == RoundingMode::rne) [[likely]] {
    const float r = detail::as_float(a) / detail::as_float(b);
    const std::uint32_t bits = detail::as_bits(r);
    if (detail::is_ordinary(bits)) [[likely]] {  // so both operands are finite and not zero
      detail::inexact_if(static_cast<double>(r) * detail::as_double(b) != detail::as_double(a), flags);
      return bits;
    }
  }
  return exact::div(a, b, rm, flags);
}

inline std::uint32_t fsqrt(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  if (rm == RoundingMode::rne && a - 1 < kInfinity - 1) [[likely]] {  // positive, finite, not zero
    const float r = std::sqrt(detail::as_float(a));
    detail::inexact_if(static_cast<double>(r) * static_cast<double>(r) != detail::as_double(a), flags);
    return detail::as_bits(r);
  }
  return exact::sqrt(a, rm, flags);
}

/// a * b + c, rounded once.
inline std::uint32_t fmadd(std::uint32_t a, std::uint32_t b, std::uint32_t c, RoundingMode rm,
                           std::uint8_t& flags) {
  std::uint32_t result;
  return rm == RoundingMode::rne && fast::fma(a, b, c, result, flags) ? result
                                                                      : exact::fma(a, b, c, rm, flags);
}
inline std::uint32_t fmsub(std::uint32_t a, std::uint32_t b, std::uint32_t c, RoundingMode rm,
                           std::uint8_t& flags) {
  return fmadd(a, b, c ^ kSignBit, rm, flags);
}
inline std::uint32_t fnmsub(std::uint32_t a, std::uint32_t b, std::uint32_t c, RoundingMode rm,
                            std::uint8_t& flags) {
  return fmadd(a ^ kSignBit, b, c, rm, flags);
}
inline std::uint32_t fnmadd(std::uint32_t a, std::uint32_t b, std::uint32_t c, RoundingMode rm,
                            std::uint8_t& flags) {
  return fmadd(a ^ kSignBit, b, c ^ kSignBit, rm, flags);
}

/// Quiet comparison: only a signalling NaN is invalid.
inline std::uint32_t feq(std::uint32_t a, std::uint32_t b, std::uint8_t& flags) {
  if (is_nan(a) || is_nan(b)) {
    if (is_signaling_nan(a) || is_signaling_nan(b)) flags |= kNV;
    return 0;
  }
  return a == b || ((a | b) & ~kSignBit) == 0;
}
/// Signalling comparisons: any NaN is invalid.
inline std::uint32_t flt(std::uint32_t a, std::uint32_t b, std::uint8_t& flags) {
  if (is_nan(a) || is_nan(b)) {
    flags |= kNV;
    return 0;
  }
  return detail::as_float(a) < detail::as_float(b);
}
inline std::uint32_t fle(std::uint32_t a, std::uint32_t b, std::uint8_t& flags) {
  if (is_nan(a) || is_nan(b)) {
    flags |= kNV;
    return 0;
  }
  return detail::as_float(a) <= detail::as_float(b);
}

namespace detail {
/// Order key: as integers, keys of non-NaN values order as the values, with -0 below +0.
constexpr std::int32_t order_key(std::uint32_t a) {
  return static_cast<std::int32_t>(a ^ ((0u - (a >> 31)) >> 1));
}
inline std::uint32_t pick(bool first, std::uint32_t a, std::uint32_t b, std::uint8_t& flags) {
  if (is_nan(a) || is_nan(b)) {
    if (is_signaling_nan(a) || is_signaling_nan(b)) flags |= kNV;
    if (is_nan(a)) return is_nan(b) ? kCanonicalNan : b;
    return a;
  }
  return first ? a : b;
}
}  // namespace detail

/// minimumNumber and maximumNumber of IEEE 754-2019: a NaN loses against a number, -0 is below +0.
inline std::uint32_t fmin(std::uint32_t a, std::uint32_t b, std::uint8_t& flags) {
  return detail::pick(detail::order_key(a) < detail::order_key(b), a, b, flags);
}
inline std::uint32_t fmax(std::uint32_t a, std::uint32_t b, std::uint8_t& flags) {
  return detail::pick(detail::order_key(a) > detail::order_key(b), a, b, flags);
}

constexpr std::uint32_t fsgnj(std::uint32_t a, std::uint32_t b) { return (a & ~kSignBit) | (b & kSignBit); }
constexpr std::uint32_t fsgnjn(std::uint32_t a, std::uint32_t b) { return (a & ~kSignBit) | (~b & kSignBit); }
constexpr std::uint32_t fsgnjx(std::uint32_t a, std::uint32_t b) { return a ^ (b & kSignBit); }

/// One bit of: 0 -inf, 1 negative normal, 2 negative subnormal, 3 -0, 4 +0, 5 positive subnormal, 6 positive
/// normal, 7 +inf, 8 signalling NaN, 9 quiet NaN.
constexpr std::uint32_t fclass(std::uint32_t a) {
  if (is_nan(a)) return is_signaling_nan(a) ? 1u << 8 : 1u << 9;
  const std::uint32_t magnitude = a & ~kSignBit;
  const unsigned kind = magnitude == 0 ? 0 : magnitude < kMinNormal ? 1 : magnitude < kInfinity ? 2 : 3;
  return (a & kSignBit) != 0 ? 8u >> kind : 16u << kind;
}

/// Out of range or NaN: the nearest (NaN: the greatest) integer and NV alone.
inline std::uint32_t fcvt_w_s(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  if (rm == RoundingMode::rtz && (a & ~kSignBit) < 0x4f000000) [[likely]] {  // |a| < 2^31: what a C cast does
    const std::int32_t r = static_cast<std::int32_t>(detail::as_float(a));
    detail::inexact_if(static_cast<double>(r) != detail::as_double(a), flags);
    return static_cast<std::uint32_t>(r);
  }
  return exact::to_int32(a, rm, flags);
}
inline std::uint32_t fcvt_wu_s(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  if (rm == RoundingMode::rtz && a < 0x4f800000) [[likely]] {  // 0 <= a < 2^32
    const std::int64_t r = static_cast<std::int64_t>(detail::as_float(a));
    detail::inexact_if(static_cast<double>(r) != detail::as_double(a), flags);
    return static_cast<std::uint32_t>(r);
  }
  return exact::to_uint32(a, rm, flags);
}
inline std::uint32_t fcvt_s_w(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  if (rm == RoundingMode::rne) [[likely]] {
    const std::int32_t i = static_cast<std::int32_t>(a);
    const float r = static_cast<float>(i);
    detail::inexact_if(static_cast<double>(r) != static_cast<double>(i), flags);
    return detail::as_bits(r);
  }
  return exact::from_int32(a, rm, flags);
}
inline std::uint32_t fcvt_s_wu(std::uint32_t a, RoundingMode rm, std::uint8_t& flags) {
  if (rm == RoundingMode::rne) [[likely]] {
    const float r = static_cast<float>(static_cast<std::int64_t>(a));
    detail::inexact_if(static_cast<double>(r) != static_cast<double>(a), flags);
    return detail::as_bits(r);
  }
  return exact::from_uint32(a, rm, flags);
}

}  // namespace polyloom::overlay::fp
