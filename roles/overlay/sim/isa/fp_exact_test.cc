// SPDX-License-Identifier: Apache-2.0
// Covers: every operation of fp.h in all five modes against rational arithmetic (fp_vectors.py); fast paths
// against fp::exact; comparisons, minimum, maximum, classes and sign injection by directed cases too. Leaves
// out: exhaustive operand pairs (fp_host_test.cc adds millions of random ones); the engine that runs programs
// (tile/fp_program_test.cc).
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "roles/overlay/sim/isa/fp.h"
#include "roles/overlay/sim/isa/fp_operands.h"

namespace polyloom::overlay::fp {
namespace {

using Bits = std::uint32_t;
using Mode = RoundingMode;
using Flags = std::uint8_t;

Bits apply(const std::string& op, Bits a, Bits b, Bits c, Mode rm, Flags& flags) {
  if (op == "fadd") return fadd(a, b, rm, flags);
  if (op == "fsub") return fsub(a, b, rm, flags);
  if (op == "fmul") return fmul(a, b, rm, flags);
  if (op == "fdiv") return fdiv(a, b, rm, flags);
  if (op == "fsqrt") return fsqrt(a, rm, flags);
  if (op == "fmadd") return fmadd(a, b, c, rm, flags);
  if (op == "fmsub") return fmsub(a, b, c, rm, flags);
  if (op == "fnmsub") return fnmsub(a, b, c, rm, flags);
  if (op == "fnmadd") return fnmadd(a, b, c, rm, flags);
  if (op == "fcvt_w_s") return fcvt_w_s(a, rm, flags);
  if (op == "fcvt_wu_s") return fcvt_wu_s(a, rm, flags);
  if (op == "fcvt_s_w") return fcvt_s_w(a, rm, flags);
  if (op == "fcvt_s_wu") return fcvt_s_wu(a, rm, flags);
  if (op == "fsgnj") return fsgnj(a, b);
  if (op == "fsgnjn") return fsgnjn(a, b);
  if (op == "fsgnjx") return fsgnjx(a, b);
  if (op == "fmin") return fmin(a, b, flags);
  if (op == "fmax") return fmax(a, b, flags);
  if (op == "feq") return feq(a, b, flags);
  if (op == "flt") return flt(a, b, flags);
  if (op == "fle") return fle(a, b, flags);
  if (op == "fclass") return fclass(a);
  ADD_FAILURE() << "fp_vectors.py prints an unknown operation " << op;
  return 0;
}

TEST(FpExact, AgreesWithRationalArithmetic) {
  constexpr int kVectorsAnOperation = 1200;
  const std::string command =
      "python3 '" POLYLOOM_ISA_FOLDER "/fp_vectors.py' " + std::to_string(kVectorsAnOperation) + " 1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  ASSERT_TRUE(pipe);
  char name[16];
  Bits a = 0, b = 0, c = 0, result = 0;
  unsigned rm = 0, flags = 0;
  int vectors = 0, failures = 0;
  while (std::fscanf(pipe.get(), "%15s %x %x %x %u %x %x", name, &a, &b, &c, &rm, &result, &flags) == 7) {
    ++vectors;
    Flags got_flags = 0;
    const Bits got = apply(name, a, b, c, static_cast<Mode>(rm), got_flags);
    if (got == result && got_flags == flags) continue;
    ADD_FAILURE() << std::hex << name << "(" << a << ", " << b << ", " << c << ") mode " << rm << ": " << got
                  << " flags " << int(got_flags) << ", expected " << result << " flags " << flags;
    if (++failures == 10) break;
  }
  EXPECT_TRUE(failures != 0 || vectors == 22 * 5 * kVectorsAnOperation) << vectors << " vectors read";
}

TEST(FpExact, FastPathsAgreeWithTheExactOnes) {
  Operands operands(11);
  for (int i = 0; i < 300'000; ++i) {
    const Bits a = operands.any(), b = operands.near(a), c = operands.near(b), n = operands.integer();
    const auto check = [&](const char* name, Mode rm, auto fast, auto exact) {
      Flags fast_flags = 0, exact_flags = 0;
      const Bits got = fast(rm, fast_flags), expected = exact(rm, exact_flags);
      ASSERT_TRUE(got == expected && fast_flags == exact_flags)
          << std::hex << name << "(" << a << ", " << b << ", " << c << "; " << n << "): " << got << " flags "
          << int(fast_flags) << ", exact " << expected << " flags " << int(exact_flags);
    };
#define CHECK_PAIR(mode, fast, slow)                              \
  ASSERT_NO_FATAL_FAILURE(check(                                  \
      #fast, Mode::mode, [&](Mode rm, Flags& f) { return fast; }, \
      [&](Mode rm, Flags& f) { return exact::slow; }))
    CHECK_PAIR(rne, fadd(a, b, rm, f), add(a, b, rm, f));
    CHECK_PAIR(rne, fmul(a, b, rm, f), mul(a, b, rm, f));
    CHECK_PAIR(rne, fdiv(a, b, rm, f), div(a, b, rm, f));
    CHECK_PAIR(rne, fsqrt(a, rm, f), sqrt(a, rm, f));
    CHECK_PAIR(rne, fmadd(a, b, c, rm, f), fma(a, b, c, rm, f));
    CHECK_PAIR(rtz, fcvt_w_s(a, rm, f), to_int32(a, rm, f));
    CHECK_PAIR(rtz, fcvt_wu_s(a, rm, f), to_uint32(a, rm, f));
    CHECK_PAIR(rne, fcvt_s_w(n, rm, f), from_int32(n, rm, f));
    CHECK_PAIR(rne, fcvt_s_wu(n, rm, f), from_uint32(n, rm, f));
#undef CHECK_PAIR
  }
}

TEST(FpExact, FlagsAccumulate) {
  Flags flags = kDZ;
  fadd(0x3f800000, 0x33000000, Mode::rne, flags);  // 1 + 2^-25
  EXPECT_EQ(flags, kDZ | kNX);
  fadd(0x3f800000, 0x3f800000, Mode::rne, flags);
  EXPECT_EQ(flags, kDZ | kNX);
}

TEST(FpExact, UnderflowIsDetectedAfterRounding) {
  // All deliver the smallest normal number, 2^-126. It is tiny unless 24 bits with an unbounded exponent
  // carry to it.
  Flags flags = 0;
  EXPECT_EQ(fmul(0x00ffffff, 0x3f000000, Mode::rne, flags),
            kMinNormal);  // (2 - 2^-23) * 2^-127 has 24 bits: tiny
  EXPECT_EQ(flags, kUF | kNX);
  flags = 0;
  EXPECT_EQ(fmul(0x00800001, 0x3f7ffffe, Mode::rne, flags), kMinNormal);  // (1 - 2^-46) * 2^-126 carries
  EXPECT_EQ(flags, kNX);
  flags = 0;
  EXPECT_EQ(fmul(0x00800001, 0x3f7ffffe, Mode::rtz, flags), kMinNormal - 1);
  EXPECT_EQ(flags, kUF | kNX);
  flags = 0;
  EXPECT_EQ(fmul(0x00800001, 0x3f7ffffe, Mode::rup, flags), kMinNormal);
  EXPECT_EQ(flags, kNX);
  flags = 0;
  EXPECT_EQ(fmadd(0x80000001, 0x00000001, kMinNormal, Mode::rne, flags), kMinNormal);  // 2^-126 - 2^-298
  EXPECT_EQ(flags, kNX);
}

constexpr Bits kOne = 0x3f800000, kTwo = 0x40000000, kMinusOne = 0xbf800000, kMinusZero = kSignBit;
constexpr Bits kMinusInfinity = kSignBit | kInfinity, kQuiet = 0x7fc00001, kSignaling = 0x7f800001;

struct CompareCase {
  Bits a, b;
  Bits eq, lt, le;
  unsigned eq_flags, order_flags;
};

TEST(FpExact, Comparisons) {
  const CompareCase cases[] = {
      {kOne, kTwo, 0, 1, 1, 0, 0},
      {kTwo, kOne, 0, 0, 0, 0, 0},
      {kOne, kOne, 1, 0, 1, 0, 0},
      {kMinusOne, kOne, 0, 1, 1, 0, 0},
      {kMinusOne, kMinusOne, 1, 0, 1, 0, 0},
      {0xc0000000, kMinusOne, 0, 1, 1, 0, 0},
      {0, kMinusZero, 1, 0, 1, 0, 0},
      {kMinusZero, 0, 1, 0, 1, 0, 0},
      {1, 2, 0, 1, 1, 0, 0},
      {kSignBit | 1, 0, 0, 1, 1, 0, 0},
      {kMinusInfinity, kInfinity, 0, 1, 1, 0, 0},
      {kInfinity, kInfinity, 1, 0, 1, 0, 0},
      {kQuiet, kOne, 0, 0, 0, 0, kNV},
      {kOne, kQuiet, 0, 0, 0, 0, kNV},
      {kQuiet, kQuiet, 0, 0, 0, 0, kNV},
      {kSignaling, kOne, 0, 0, 0, kNV, kNV},
      {kQuiet, kSignaling, 0, 0, 0, kNV, kNV},
  };
  for (const CompareCase& t : cases) {
    Flags eq = 0, lt = 0, le = 0;
    EXPECT_EQ(feq(t.a, t.b, eq), t.eq) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(flt(t.a, t.b, lt), t.lt) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(fle(t.a, t.b, le), t.le) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(eq, t.eq_flags) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(lt, t.order_flags) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(le, t.order_flags) << std::hex << t.a << " " << t.b;
  }
}

struct MinMaxCase {
  Bits a, b, min, max;
  unsigned flags;
};

TEST(FpExact, MinimumAndMaximum) {
  const MinMaxCase cases[] = {
      {kOne, kTwo, kOne, kTwo, 0},
      {kTwo, kOne, kOne, kTwo, 0},
      {kMinusOne, kOne, kMinusOne, kOne, 0},
      {kMinusOne, 0xc0000000, 0xc0000000, kMinusOne, 0},
      {0, kMinusZero, kMinusZero, 0, 0},
      {kMinusZero, 0, kMinusZero, 0, 0},
      {kMinusInfinity, kInfinity, kMinusInfinity, kInfinity, 0},
      {kQuiet, kOne, kOne, kOne, 0},
      {kOne, kQuiet, kOne, kOne, 0},
      {kSignaling, kOne, kOne, kOne, kNV},
      {kOne, kSignaling, kOne, kOne, kNV},
      {kQuiet, kQuiet | kSignBit, kCanonicalNan, kCanonicalNan, 0},
      {kQuiet, kSignaling, kCanonicalNan, kCanonicalNan, kNV},
  };
  for (const MinMaxCase& t : cases) {
    Flags min_flags = 0, max_flags = 0;
    EXPECT_EQ(fmin(t.a, t.b, min_flags), t.min) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(fmax(t.a, t.b, max_flags), t.max) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(min_flags, t.flags) << std::hex << t.a << " " << t.b;
    EXPECT_EQ(max_flags, t.flags) << std::hex << t.a << " " << t.b;
  }
}

TEST(FpExact, Classes) {
  const Bits by_bit[] = {kMinusInfinity, kMinusOne, kSignBit | 1, kMinusZero, 0, 1,
                         kOne,           kInfinity, kSignaling,   kQuiet};
  for (unsigned bit = 0; bit < 10; ++bit) EXPECT_EQ(fclass(by_bit[bit]), 1u << bit);
  EXPECT_EQ(fclass(0x807fffff), 1u << 2);
  EXPECT_EQ(fclass(0x80800000), 1u << 1);
  EXPECT_EQ(fclass(0x7f7fffff), 1u << 6);
  EXPECT_EQ(fclass(0xff800001), 1u << 8);
  EXPECT_EQ(fclass(0xffc00000), 1u << 9);
}

TEST(FpExact, SignInjectionKeepsNans) {
  EXPECT_EQ(fsgnj(kQuiet, kMinusOne), kQuiet | kSignBit);
  EXPECT_EQ(fsgnjn(kQuiet, kMinusOne), kQuiet);
  EXPECT_EQ(fsgnjx(kSignaling | kSignBit, kMinusOne), kSignaling);
  EXPECT_EQ(fsgnj(kMinusOne, kOne), kOne);
  EXPECT_EQ(fsgnjn(kOne, kOne), kMinusOne);
  EXPECT_EQ(fsgnjx(kOne, kMinusOne), kMinusOne);
}

}  // namespace
}  // namespace polyloom::overlay::fp
