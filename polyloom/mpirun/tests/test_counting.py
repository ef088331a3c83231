# SPDX-License-Identifier: Apache-2.0
# Covers: how many instructions a program says that it has executed, of loops whose instructions can be told from
#         their C (what is volatile is loaded and stored as written), and that what counts does what it did.
# Leaves out: what the counts become (tests/test_mpi_cpu_time.py).
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polyloom.hls import toolchain
from polyloom.mpirun import cpu

WORK = r"""
#include <stdlib.h>
#include <string.h>
volatile int x;
char from[4096], to[4096];
/* load, add, store; add, compare, branch */
void loop(int n) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; i++) x = x + i;
}
/* two loads, a division, a store; add, compare, branch */
void divide(int n) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; i++) x = x / (x | 1);
}
/* a call and its return, load, add, store; subtract, compare, branch */
__attribute__((noinline)) void once(void) { x = x + 1; }
void call(int n) {
#pragma clang loop unroll(disable)
  for (; n > 0; n--) once();
}
/* n bytes, 16 an instruction */
void copy(int n) {
  memcpy(to, from, n);
  __asm__ volatile("" ::: "memory");
}
/* that of the library is free, the comparison is not: two loads, a comparison; its return is the library's */
static volatile int compared;
static int compare(const void *a, const void *b) {
  compared = compared + 1;
  return *(const char *)a - *(const char *)b;
}
void sort(int n) {
  (void)n;
  qsort(from, 2, 1, compare);
}
/* asked for within a function of the module: load, add, store; add, compare, branch before that */
void note(void);
__attribute__((noinline)) static void ask(void) {
  note();
  x = 0;
}
void early(int n) {
  loop(n);
  ask();
}
"""
COUNTS = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
uint64_t polyloom_instructions_taken(void);
void loop(int), divide(int), call(int), copy(int), sort(int), early(int);
static uint64_t noted;
void note(void) { noted = polyloom_instructions_taken(); }
int main(int c, char **v) {
  (void)c;
  static void (*const works[])(int) = {loop, divide, call, copy, sort, early};
  polyloom_instructions_taken();
  works[atoi(v[1])](atoi(v[2]));
  const uint64_t rest = polyloom_instructions_taken();
  printf("%llu\n", (unsigned long long)(noted ? noted : rest));
  return polyloom_instructions_taken() != 0;
}
"""
#: What is done outside of loops.
FEW = 16
BEHAVIOUR = r"""
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf place;
static volatile int deep;
__attribute__((noinline)) static int odd(long n);
__attribute__((noinline)) static int even(long n) { deep = 0; return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) static int odd(long n) { deep = 1; return n == 0 ? 0 : even(n - 1); }
__attribute__((noinline)) static int total(int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  while (n-- > 0) sum += va_arg(list, int);
  va_end(list);
  return sum;
}
__attribute__((noinline)) static void leave(int by) { longjmp(place, by); }
static const char *name(int n) {
  switch (n) {
    case 1: return "one";
    case 20: return "twenty";
    case 300: return "three hundred";
    default: return "many";
  }
}
static int label(int n) {
  __asm__ goto("test %0, %0\n\tjz %l1" : : "r"(n) : "cc" : zero);
  return 1;
zero:
  return 0;
}
static int jump(int n) {
  static const void *const to[] = {&&a, &&b, &&c};
  goto *to[n % 3];
a: n += 1;
b: n += 10;
c: return n + 100;
}
static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
struct big { long v[40]; };
__attribute__((noinline)) static struct big twice(struct big b) { for (int i = 0; i < 40; i++) b.v[i] *= 2; return b; }
int main(int c, char **v) {
  volatile int k = 0;
  const int by = setjmp(place);
  if (by < 5) { k = k + by; leave(by + 1); }
  struct big b;
  for (int i = 0; i < 40; i++) b.v[i] = i * c;
  int n[] = {5, 3, 9, 1, 7};
  qsort(n, 5, sizeof n[0], by_size);
  float f = 0.1f;
  for (int i = 0; i < 100 * c; i++) f = f * 1.01f - 0.001f * (float)i;
  printf("%d %d %d %s %s\n", k, even(1000L * c), total(4, 1, 2, 3, c), name(20 * c), name(c));
  printf("%d %d\n", label(c - 1), label(c));
  printf("%d %d %d %ld %a %s\n", jump(c), jump(c + 1), n[2], twice(b).v[39], (double)f, v[c] == NULL ? "end" : "more");
  char text[64];
  memset(text, 'x', (size_t)(10 * c));
  memmove(text + 3, text, (size_t)(9 * c));
  text[12 * c] = 0;
  puts(text);
  return 7;
}
"""


def program(folder: Path, counted: str, plain: str = "") -> Path:
    """An executable of a C text that counts, and one that does not."""
    own, made = folder / "own.c", folder / "program"
    own.write_text(counted)
    (folder / "plain.c").write_text(plain)
    parts = [cpu.compile_counting(own, ["-O2"], folder / "own.o"), *([folder / "plain.c"] if plain else [])]
    toolchain.run("clang", ["-O2", *parts, "-o", made])
    return made


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return program(tmp_path_factory.mktemp("counts"), WORK, COUNTS)


@pytest.mark.parametrize(
    ("work", "n", "each"),
    [(0, 5000, 6), (1, 5000, 8), (2, 5000, 8), (3, 4096, 1 / 16), (4, 1, 3), (5, 5000, 6)],
    ids=str,
)
def test_loops(counts: Path, work: int, n: int, each: float) -> None:
    done = subprocess.run([counts, str(work), str(n)], capture_output=True, text=True, check=True)
    assert n * each <= int(done.stdout) <= n * each + FEW


def test_a_program_that_counts_does_what_it_did(tmp_path: Path) -> None:
    """As compiled by clang as it is: jumps over frames, computed jumps, results in memory and the like."""
    counting = program(tmp_path, BEHAVIOUR)
    toolchain.run("clang", ["-O2", tmp_path / "own.c", "-o", tmp_path / "as-it-is"])
    done, wanted = (
        subprocess.run([file], capture_output=True, text=True, check=False)
        for file in (counting, tmp_path / "as-it-is")
    )
    assert (done.returncode, done.stdout) == (wanted.returncode, wanted.stdout) and done.returncode == 7
