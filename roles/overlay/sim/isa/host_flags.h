// SPDX-License-Identifier: Apache-2.0
// The host's sticky floating-point flags, which are a thread's: a result that is no NaN costs one host
// operation.
//
// Contract. In round-to-nearest, an addition, multiplication, division, square root, fused operation or
// conversion of the host raises the flags that RISC-V asks for: both detect tininess after rounding and raise
// underflow only with inexactness (RISC-V unprivileged ISA 20191213, chapter 11.2; Intel SDM volume 1,
// chapter 11.5). Where the result is a NaN the host may raise fewer, so those results are computed again by
// fp.h, which also makes them canonical. In another rounding mode nothing may be executed on the host, not
// even to be thrown away: its flags stay. The functions of fp.h raise on the host nothing but what they
// report.
#pragma once

#include <cstdint>

#include "roles/overlay/sim/isa/fp.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace polyloom::overlay::fp {

#ifdef __SSE2__
inline constexpr bool kHostFlags = true;

/// Flags raised since the last call, as bits of fflags; clears them.
inline std::uint8_t take_host_flags() {
  // MXCSR: invalid, denormal operand, divide by zero, overflow, underflow, inexact.
  constexpr std::uint32_t kAll = 0x3f;
  const std::uint32_t status = _mm_getcsr();
  if ((status & kAll) == 0) return 0;
  _mm_setcsr(status & ~kAll);
  return static_cast<std::uint8_t>((status >> 5 & 1u) | (status >> 3 & 2u) | (status >> 1 & 4u) |
                                   (status << 1 & 8u) | (status << 4 & 16u));
}

/// `operand`, known to the compiler only from this place on: it moves no operation that uses it up across a
/// condition that the operation depends on, where it would raise flags that were not requested.
[[gnu::always_inline]] inline float raised_from_here(float operand) {
  asm volatile("" : "+x"(operand));
  return operand;
}
#else
inline constexpr bool kHostFlags = false;
inline std::uint8_t take_host_flags() { return 0; }
inline float raised_from_here(float operand) { return operand; }
#endif

}  // namespace polyloom::overlay::fp
