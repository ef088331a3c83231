# SPDX-License-Identifier: Apache-2.0
"""What stands at the top of every random kernel: intrinsics, conversions that are defined for every value, bit tricks.

Output: lines of C. The bits of a NaN are not defined (IEEE 754 leaves them open), so all NaN are shown as one.
"""

from __future__ import annotations

from polyloom.hls.tests.random_kernels.c_types import INTEGERS

_INTEGER = """\
#include <stdint.h>
uint64_t __polyloom_pop(unsigned port);
void __polyloom_push(unsigned port, uint64_t word);
static uint32_t words_read;
static uint64_t next_word(void) { words_read++; return __polyloom_pop(0); }
static uint64_t checksum = 0x9e3779b97f4a7c15u;
static void show(uint64_t word) { checksum = (checksum ^ word) * 0x100000001b3u; __polyloom_push(0, word); }
static inline uint32_t ones32(uint32_t x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
static inline uint64_t ones64(uint64_t x) { uint64_t n = 0; while (x) { x &= x - 1; n++; } return n; }
static inline uint32_t turn32(uint32_t x, uint32_t n) { return x << (n & 31) | x >> (-n & 31); }
static inline uint64_t turn64(uint64_t x, uint32_t n) { return x << (n & 63) | x >> (-n & 63); }
static inline uint32_t swap32(uint32_t x) { return x >> 24 | (x >> 8 & 0xff00u) | (x << 8 & 0xff0000u) | x << 24; }
static inline uint64_t swap64(uint64_t x) { return (uint64_t)swap32((uint32_t)x) << 32 | swap32((uint32_t)(x >> 32)); }
static inline uint32_t lead32(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }
static inline uint64_t lead64(uint64_t x) { uint64_t n = 0; while (n < 64 && !(x >> (63 - n) & 1)) n++; return n; }
static inline uint32_t trail32(uint32_t x) { uint32_t n = 0; while (n < 32 && !(x >> n & 1)) n++; return n; }
static inline uint64_t trail64(uint64_t x) { return x ? (uint64_t)__builtin_ctzll(x) : 64; }
static inline uint32_t high32(uint32_t x, uint32_t y) { return (uint32_t)((uint64_t)x * y >> 32); }
static inline uint64_t high64(uint64_t x, uint64_t y) {
  const uint64_t a = x >> 32, b = (uint32_t)x, c = y >> 32, d = (uint32_t)y;
  const uint64_t middle = (b * d >> 32) + (uint32_t)(a * d) + (uint32_t)(b * c);
  return a * c + (a * d >> 32) + (b * c >> 32) + (middle >> 32);
}"""

_FLOAT = """\
union bits_f32 { float number; uint32_t word; };
union bits_f64 { double number; uint64_t word; };
static inline uint64_t bits32(float x) { union bits_f32 u = {x}; return x != x ? 0x7fc00000u : u.word; }
static inline uint64_t bits64(double x) { union bits_f64 u = {x}; return x != x ? 0x7ff8000000000000u : u.word; }"""


def lines(floats: bool) -> list[str]:
    """The prelude; with ``floats`` what floats need."""
    text = _INTEGER.splitlines()
    if floats:
        text += _FLOAT.splitlines()
        for t in INTEGERS:
            low, high = (f"-0x1p{t.width - 1}", f"0x1p{t.width - 1}") if t.signed else ("-1.0", f"0x1p{t.width}")
            # In double, every bound of a narrow type is exact; for 64 bits the lower one is in range, as in C.
            compare = ">" if not t.signed else ">="
            inside = f"x {compare} {low} && x < {high}"
            text.append(f"static inline {t.name} to_{t.name}(double x) {{ return {inside} ? ({t.name})x : 77; }}")
    return text
