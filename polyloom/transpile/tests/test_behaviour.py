# SPDX-License-Identifier: Apache-2.0
# Covers: which ranks share a program, on IR that clang makes of small C programs; rank ranges of shared programs.
# Leaves out: the MPI library (tests/test_mpirun.py runs whole programs).
from __future__ import annotations

import re

import pytest

from polyloom.hls import frontend, toolchain
from polyloom.transpile import behaviour, specialise

HEAD = """unsigned __polyloom_rank(void); void __polyloom_push(unsigned, unsigned long);
unsigned long __polyloom_pop(unsigned); unsigned long __polyloom_cycle(void);
"""


def module(body: str) -> str:
    flags = [f"--target={frontend.TARGET}", *frontend.CLANG_FLAGS, "-x", "c", "-", "-S", "-emit-llvm"]
    return toolchain.run("clang", [*flags, "-o", "-"], stdin=f"{HEAD}void polyloom_kernel(void) {{ {body} }}")


def groups(body: str, ranks: int) -> list[tuple[int, ...]]:
    text = module(body)
    return [g.ranks for g in behaviour.group({r: specialise.for_rank(text, r) for r in range(ranks)})]


def test_the_same_for_all_is_one_program() -> None:
    text = module("__polyloom_push(0, 42);")
    found = behaviour.group({r: specialise.for_rank(text, r) for r in range(5)})
    assert [(g.ranks, g.identical) for g in found] == [((0, 1, 2, 3, 4), True)]


def test_ranks_that_differ_in_constants_share() -> None:
    text = module("__polyloom_push(0, __polyloom_rank() * 100 + 1000);")
    found = behaviour.group({r: specialise.for_rank(text, r) for r in range(1, 4)})
    assert [(g.ranks, g.identical) for g in found] == [((1, 2, 3), False)]


IF = "if (__polyloom_rank() == 0) __polyloom_push(0, 1); else __polyloom_push(1, 2), __polyloom_push(0, 7);"
SWITCH = """switch (__polyloom_rank() % 2) {
  case 0: __polyloom_push(0, 1); __polyloom_push(0, 2); break;
  default: __polyloom_push(0, 3);
}"""
WHILE = """unsigned r = __polyloom_rank();
while (r > 3) { __polyloom_push(0, r); r -= 4; __polyloom_push(0, 0); }
__polyloom_push(0, 1);"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [(IF, [(0,), (1, 2, 3, 4)]), (SWITCH, [(0, 2, 4), (1, 3)]), (WHILE, [(0, 1, 2, 3), (4,)])],
)
def test_control_flow_splits(body: str, expected: list[tuple[int, ...]]) -> None:
    assert groups(body, 5) == expected


FLOATS = "float f = __polyloom_rank() * 0.3f; unsigned bits; __builtin_memcpy(&bits, &f, 4); __polyloom_push(0, bits);"
FLOAT_FACTOR = "double x = __polyloom_pop(0); x *= 0.7 + __polyloom_rank(); __polyloom_push(0, x > 9.0);"
FACTOR = "__polyloom_push(0, __polyloom_pop(0) * __polyloom_rank());"
OFFSET = """static unsigned long table[64];
for (int i = 0; i < 64; i++) table[i] = __polyloom_pop(0);
for (int i = 0; i < 60; i++) __polyloom_push(0, table[__polyloom_rank() + i * 7 % 60]);"""
CONDITION = "__polyloom_push(0, __polyloom_pop(0) % 8 < __polyloom_rank() ? 5 : __polyloom_rank());"


@pytest.mark.parametrize("body", [FLOATS, FLOAT_FACTOR, FACTOR, OFFSET, CONDITION])
def test_arithmetic_of_constants_does_not(body: str) -> None:
    assert groups(body, 5) == [(0, 1, 2, 3, 4)]


DIVISION = "__polyloom_push(0, __polyloom_pop(0) / (2 + __polyloom_rank() % 2));"
WIDTH = "__polyloom_push(0, __polyloom_rank() < 2 ? 1.5f * __polyloom_pop(0) : 1.5 * __polyloom_pop(0));"
CALLS = "__polyloom_push(0, __polyloom_rank() == 1 ? __polyloom_cycle() : __polyloom_pop(0));"


@pytest.mark.parametrize(
    ("body", "expected"), [(DIVISION, [(0, 2), (1, 3)]), (WIDTH, [(0, 1), (2, 3)]), (CALLS, [(0, 2, 3), (1,)])]
)
def test_what_takes_units_of_its_own_does(body: str, expected: list[tuple[int, ...]]) -> None:
    assert groups(body, 4) == expected


def test_a_shared_program_knows_the_range_of_its_rank() -> None:
    text = specialise.for_ranks(module("if (__polyloom_rank() > 9) __polyloom_push(0, 1);"), [2, 3, 5])
    assert "__polyloom_push" not in text.split("declare")[0], "a rank above 9 cannot be, and LLVM knows"
    kept = specialise.for_ranks(module("__polyloom_push(0, __polyloom_rank());"), [2, 3, 5])
    number = re.search(r"@__polyloom_rank\(\).*!range !(\d+)", kept)
    assert number and re.search(rf"^!{number[1]} = !{{i32 2, i32 4, i32 5, i32 6}}", kept, re.MULTILINE)


def test_one_rank_leaves_no_call_and_no_dead_arm() -> None:
    text = specialise.for_rank(module("if (__polyloom_rank()) __polyloom_push(0, 1); else __polyloom_push(7, 2);"), 3)
    assert "__polyloom_rank()" not in text
    assert re.findall(r"@__polyloom_push\(i32[^0-9]* (\d), i64[^0-9]* (\d)\)", text) == [("0", "1")]
