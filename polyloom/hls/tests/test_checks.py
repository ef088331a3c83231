# SPDX-License-Identifier: Apache-2.0
# Covers: what is checked in simulation ends it with rank, file and line, of the circuit and of the kernel's model;
#         legal neighbours of it pass; the circuit is the same with and without. One kernel serves all cases, which its
#         first word chooses.
# Leaves out: legal programs of all kinds (test_compiled_programs.py and the random kernels have the checks too).
from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from polyloom.hls import Options
from polyloom.hls.testing import build_kernel, build_model, compile_source
from polyloom.hls.testing.run import KernelRun

Build = Callable[..., KernelRun]
BUILDS = pytest.mark.parametrize("build", [build_kernel, build_model], ids=["circuit", "model"])

SOURCE = """
#include "intrinsics.h"
static volatile int a[10], b[3];
static volatile char text[5];
void polyloom_kernel(void) {
  const int what = (int)__polyloom_pop(0), at = (int)__polyloom_pop(0);
  for (int i = 0; i < 10; i++) a[i] = i * 3;
  volatile int* const p = what == 9 ? b : a;
  long got = 0;
  switch (what) {
    case 0: got = a[at]; break;
    case 1: a[at] = 7; break;
    case 2: *(volatile int*)(unsigned long)at = 1; break;
    case 3: got = 100 / at; break;
    case 4: got = 100u % (unsigned)at; break;
    case 5: for (int i = 0; i < at; i++) got += a[i]; break;
    case 6: for (int i = 0; i < 10; i++) if (i < at) got += a[i + 10 - at]; break;
    case 7: text[at] = 'x'; break;
    default: p[at] = 4; got = p[at];
  }
  __polyloom_push(0, (uint64_t)got);
}
"""


@cache
def kernel(build: Build) -> KernelRun:
    return build(SOURCE)


@BUILDS
@pytest.mark.parametrize(
    ("what", "at", "value"),
    [(0, 9, 27), (1, 0, 0), (3, 7, 14), (4, 7, 2), (5, 10, 135), (6, 4, 90), (7, 4, 0), (8, 9, 4), (9, 2, 4)],
)
def test_what_is_right_passes(build: Build, what: int, at: int, value: int) -> None:
    pushes, _ = kernel(build).run([what, at], rank=3)
    assert pushes == [(0, value)]


@BUILDS
@pytest.mark.parametrize(
    ("what", "at", "message"),
    [
        (0, 10, r":11:\d+: load of 4 bytes at address 0x\w+, outside of a$"),
        (0, -1, r":11:\d+: load of 4 bytes"),
        (1, 1000000, r":12:\d+: store of 4 bytes at address 0x\w+, outside of a$"),
        (2, 0, r":13:\d+: store of 4 bytes at address 0x00000000"),
        (2, 4, r":13:\d+: store of 4 bytes at address 0x00000004"),
        (3, 0, r":14:\d+: division of 100 by zero"),
        (4, 0, r":15:\d+: division of 100 by zero"),
        (5, 12, r":16:\d+: load of 4 bytes"),
        (7, 17, r":18:\d+: store of 1 byte at"),
        (8, 500, r":19:\d+: store of 4 bytes at address 0x\w+, outside of a, b"),
    ],
)
def test_what_is_wrong_is_named(build: Build, what: int, at: int, message: str) -> None:
    with pytest.raises(Exception, match=r"rank 3: \S+" + message.rstrip("$")):
        kernel(build).run([what, at & 0xFFFFFFFF], rank=3)


DEEP = """
#include "intrinsics.h"
__attribute__((noinline)) static int deep(int n) { return n == 0 ? 1 : 3 * deep(n - 1) + n; }
void polyloom_kernel(void) {
  __polyloom_push(0, (uint64_t)(uint32_t)deep((int)__polyloom_pop(0)));
}
"""


@BUILDS
def test_a_function_that_calls_itself_too_often_is_named(build: Build) -> None:
    run = build(DEEP, options=Options(stack_bytes=1024))
    assert run.run([3])[0] == [(0, 45)]
    full = r"store of \d bytes at address 0x\w+: deep calls itself too often: its stack of 1024 bytes is full"
    with pytest.raises(Exception, match=full):
        run.run([1000])


MESSAGES = """
#include "intrinsics.h"
static volatile long small[4], large[40];
#line 1 "roles/mpi/runtime/mpi/library.c"
__attribute__((noinline)) static void send(const volatile void* data, uint32_t bytes) {
  __polyloom_push(0, 1 | (uint64_t)7 << 32);
  __polyloom_push(0, (uint64_t)(uint32_t)(uintptr_t)data << 32);
  __polyloom_push(0, bytes);
}
static inline void send_twice(const volatile void* data, uint32_t bytes) {
  send(data, bytes - 1);
  send(data, bytes);
}
#line 101 "program.c"
__attribute__((noinline)) static void both(uint32_t bytes) {
  send(large, bytes);
  send(small, bytes);
}
static inline void part(uint32_t bytes) {
  send_twice(large, bytes + 288);
}
void polyloom_kernel(void) {
  const uint32_t bytes = (uint32_t)__polyloom_pop(0), most = (uint32_t)__polyloom_pop(0);
  send(small, bytes & 31);
  both(bytes);
  part(most);
  both(most);
}
"""


@BUILDS
def test_a_buffer_is_named_where_the_program_sends_it(build: Build) -> None:
    """However the library's code is shared, and whatever of the program has called it before."""
    kernel = build(MESSAGES, Options(commands=True))
    pushes, _ = kernel.run([32, 32], rank=3)
    assert len(pushes) == 3 * 7
    for words, line, text in (
        ((33, 0), 103, "sends 33 bytes"), ((32, 33), 106, "sends 321 bytes"), ((0, 35), 106, "sends 322 bytes"),
        ((400, 0), 102, "sends 400 bytes"),
    ):  # fmt: skip
        with pytest.raises(Exception, match=rf"rank 3: program\.c:{line}:\d+: {text} from 0x\w+, tag 7"):
            kernel.run(list(words), rank=3)


def test_the_circuit_is_the_same_with_and_without() -> None:
    checked, bare = compile_source(SOURCE).verilog, compile_source(SOURCE, Options(checks=False)).verilog
    assert re.sub(r"\n  // checked in simulation\n`ifndef SYNTHESIS.*?`endif\n", "", checked, flags=re.DOTALL) == bare
    assert "$stop" in checked and "$stop" not in bare
