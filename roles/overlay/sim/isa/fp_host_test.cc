// SPDX-License-Identifier: Apache-2.0
// Covers: the arithmetic of fp.h against the host's SSE unit, results and flags, millions of operands, four
// modes; that it raises on the host nothing but what it reports (host_flags.h). Leaves out:
// round-to-nearest-ties-to-max-magnitude and unsigned conversions, which SSE lacks (fp_exact_test.cc); hosts
// other than x86-64, whose units may detect underflow before rounding.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "roles/overlay/sim/isa/fp.h"
#include "roles/overlay/sim/isa/fp_operands.h"
#include "roles/overlay/sim/isa/host_flags.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace polyloom::overlay::fp {
namespace {

struct Outcome {
  std::uint32_t value;
  std::uint8_t flags;
  bool operator==(const Outcome&) const = default;
};

std::uint32_t mxcsr_mode(RoundingMode rm) {
  switch (rm) {
    case RoundingMode::rdn:
      return 1u << 13;
    case RoundingMode::rup:
      return 2u << 13;
    case RoundingMode::rtz:
      return 3u << 13;
    default:
      return 0;
  }
}

std::uint8_t riscv_flags(std::uint32_t mxcsr) {
  unsigned flags = 0;
  if ((mxcsr & 0x01) != 0) flags |= kNV;
  if ((mxcsr & 0x04) != 0) flags |= kDZ;
  if ((mxcsr & 0x08) != 0) flags |= kOF;
  if ((mxcsr & 0x10) != 0) flags |= kUF;
  if ((mxcsr & 0x20) != 0) flags |= kNX;
  return static_cast<std::uint8_t>(flags);
}

/// Runs an operation on the host in a mode, with all exceptions masked and cleared before. The volatile
/// accesses keep the operation between the two writes of the control register.
template <typename F>
Outcome on_host(RoundingMode rm, std::uint32_t a, std::uint32_t b, std::uint32_t c, F operation) {
  const std::uint32_t saved = _mm_getcsr();
  volatile float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b), z = std::bit_cast<float>(c);
  _mm_setcsr(0x1f80 | mxcsr_mode(rm));
  volatile std::uint32_t r = operation(x, y, z);
  const std::uint32_t after = _mm_getcsr();
  _mm_setcsr(saved);
  return {r, riscv_flags(after)};
}

std::uint32_t canonical(float f) {
  const auto bits = std::bit_cast<std::uint32_t>(f);
  return is_nan(bits) ? kCanonicalNan : bits;
}

constexpr RoundingMode kHostModes[] = {RoundingMode::rne, RoundingMode::rtz, RoundingMode::rdn,
                                       RoundingMode::rup};
constexpr int kRounds = 1'000'000;

/// A call of its own, so that its operations stay where the host's flags are looked at.
template <typename F>
[[gnu::noinline]] Outcome run(const F& ours, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                              RoundingMode rm) {
  Outcome got{0, 0};
  got.value = ours(a, b, c, rm, got.flags);
  return got;
}

template <typename Ours, typename Theirs>
void compare(const char* name, std::uint64_t seed, Ours ours, Theirs theirs) {
  Operands operands(seed);
  int failures = 0;
  for (int i = 0; i < kRounds && failures < 5; ++i) {
    const std::uint32_t a = operands.any(), b = operands.near(a), c = operands.near(b);
    for (const RoundingMode rm : kHostModes) {
      const Outcome expected = on_host(rm, a, b, c, theirs);
      take_host_flags();
      const Outcome got = run(ours, a, b, c, rm);
      const std::uint8_t raised = take_host_flags();
      if (got == expected && (raised & ~got.flags) == 0) continue;
      ++failures;
      ADD_FAILURE() << std::hex << name << "(" << a << ", " << b << ", " << c << ") mode " << int(rm) << ": "
                    << got.value << " flags " << int(got.flags) << ", host " << expected.value << " flags "
                    << int(expected.flags) << "; raised on the host " << int(raised);
    }
  }
}

using Bits = std::uint32_t;
using Mode = RoundingMode;
using Flags = std::uint8_t;

TEST(FpHost, Add) {
  compare(
      "fadd", 1, [](Bits a, Bits b, Bits, Mode rm, Flags& f) { return fadd(a, b, rm, f); },
      [](float a, float b, float) { return canonical(a + b); });
}
TEST(FpHost, Subtract) {
  compare(
      "fsub", 2, [](Bits a, Bits b, Bits, Mode rm, Flags& f) { return fsub(a, b, rm, f); },
      [](float a, float b, float) { return canonical(a - b); });
}
TEST(FpHost, Multiply) {
  compare(
      "fmul", 3, [](Bits a, Bits b, Bits, Mode rm, Flags& f) { return fmul(a, b, rm, f); },
      [](float a, float b, float) { return canonical(a * b); });
}
TEST(FpHost, Divide) {
  compare(
      "fdiv", 4, [](Bits a, Bits b, Bits, Mode rm, Flags& f) { return fdiv(a, b, rm, f); },
      [](float a, float b, float) { return canonical(a / b); });
}
TEST(FpHost, SquareRoot) {
  compare(
      "fsqrt", 5, [](Bits a, Bits, Bits, Mode rm, Flags& f) { return fsqrt(a, rm, f); },
      [](float a, float, float) { return canonical(_mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a)))); });
}

[[gnu::target("fma")]] std::uint32_t host_fma(float a, float b, float c) {
  return canonical(_mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c))));
}

/// SSE leaves 0 * inf + quiet NaN without the invalid flag; RISC-V asks for it.
bool zero_times_infinity(Bits a, Bits b) {
  const Bits x = a & ~kSignBit, y = b & ~kSignBit;
  return (x == 0 && y == kInfinity) || (x == kInfinity && y == 0);
}

TEST(FpHost, FusedMultiplyAdd) {
  if (!__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "this CPU has no FMA3; fp_exact_test covers the operation";
  struct Form {
    const char* name;
    Bits (*ours)(Bits, Bits, Bits, Mode, Flags&);
    bool negate_product, negate_addend;
  };
  static constexpr Form kForms[] = {{"fmadd", fmadd, false, false},
                                    {"fmsub", fmsub, false, true},
                                    {"fnmsub", fnmsub, true, false},
                                    {"fnmadd", fnmadd, true, true}};
  for (const Form& form : kForms) {
    compare(
        form.name, 6,
        [&](Bits a, Bits b, Bits c, Mode rm, Flags& f) {
          const Bits r = form.ours(a, b, c, rm, f);
          if (zero_times_infinity(a, b) && is_nan(c) && !is_signaling_nan(c)) {
            EXPECT_EQ(f, kNV);
            EXPECT_EQ(take_host_flags() & ~f, 0);
            f = 0;
          }
          return r;
        },
        [&](float a, float b, float c) {
          return host_fma(form.negate_product ? -a : a, b, form.negate_addend ? -c : c);
        });
  }
}

TEST(FpHost, ToInteger) {
  // Out of range SSE gives 0x80000000 and NV; only the flags are comparable there.
  compare(
      "fcvt.w.s", 7,
      [](Bits a, Bits, Bits, Mode rm, Flags& f) {
        const Bits r = fcvt_w_s(a, rm, f);
        return (f & kNV) != 0 ? 0x80000000u : r;
      },
      [](float a, float, float) { return static_cast<Bits>(_mm_cvtss_si32(_mm_set_ss(a))); });
}
TEST(FpHost, FromInteger) {
  compare(
      "fcvt.s.w", 8, [](Bits a, Bits, Bits, Mode rm, Flags& f) { return fcvt_s_w(a, rm, f); },
      [](float a, float, float) {
        const auto i = static_cast<int>(std::bit_cast<Bits>(a));
        return canonical(_mm_cvtss_f32(_mm_cvtsi32_ss(_mm_setzero_ps(), i)));
      });
}

TEST(FpHost, FlagsAreTakenOnce) {
  const auto raise = [](float a, float b) {
    take_host_flags();
    volatile float x = a, y = b;
    [[maybe_unused]] volatile float r = x / y;
    r = x * y;
    return take_host_flags();
  };
  EXPECT_EQ(raise(1.0f, 3.0f), kNX);
  EXPECT_EQ(raise(1.0f, 0.0f), kDZ);
  EXPECT_EQ(raise(0.0f, 0.0f), kNV);
  EXPECT_EQ(raise(0x1p100f, 0x1p100f), kOF | kNX);
  EXPECT_EQ(raise(0x1.8p-100f, 0x1p-49f), kUF | kNX);
  EXPECT_EQ(raise(1.0f, 1.0f), 0);
  EXPECT_EQ(take_host_flags(), 0);
}

}  // namespace
}  // namespace polyloom::overlay::fp
#else
TEST(FpHost, OnlyOnX86) { GTEST_SKIP() << "the host comparison is written for x86-64"; }
#endif
