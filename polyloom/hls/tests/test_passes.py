# SPDX-License-Identifier: Apache-2.0
# Covers: single passes, LLVM IR in and the compiler's own text out; what an address may point to.
# Leaves out: what all passes do together (test_compiled_programs.py), schedules (test_speed.py).
from collections.abc import Callable

import pytest

from polyloom.hls.ir import DRAM, Const, Function
from polyloom.hls.options import Options
from polyloom.hls.passes.arithmetic import simplify_arithmetic
from polyloom.hls.passes.cleanup import cleanup
from polyloom.hls.passes.if_convert import if_convert
from polyloom.hls.passes.memory_loops import expand_memory_operations
from polyloom.hls.passes.split_accesses import split_accesses
from polyloom.hls.passes.start_dram import start_dram
from polyloom.hls.pointsto import mark_objects
from polyloom.hls.reader import read

HEAD = 'target datalayout = "e-p:64:64-i64:64"\n@x = global [8 x i32] zeroinitializer, align 16\n@y = global ptr null\n'


def program(body: str) -> str:
    return HEAD + "define void @polyloom_kernel() {\n" + body + "}\n"


MIX = """
entry:
  %a = load i32, ptr @x, align 4
  %q = sdiv i32 %a, 8
  %m = mul i32 %q, 10
  store i32 %m, ptr @x, align 4
  ret void
"""
HALVES = """
entry:
  %p = load ptr, ptr @y, align 8
  %a = load i64, ptr %p, align 4
  store i64 %a, ptr @y, align 8
  ret void
"""
CONDITION = """
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %join ]
  %c = icmp eq i32 %i, 3
  br i1 %c, label %then, label %join
then:
  store i32 %i, ptr @x, align 4
  br label %join
join:
  %v = phi i32 [ 7, %loop ], [ %i, %then ]
  store i32 %v, ptr @y, align 8
  %n = add i32 %i, 1
  %d = icmp eq i32 %n, 9
  br i1 %d, label %out, label %loop
out:
  ret void
}
define void @unused() {
  ret void
"""

CASES: dict[str, tuple[str, list[Callable[[Function], None]], list[str]]] = {
    "a division and a product by constants": (
        MIX,
        [simplify_arithmetic, cleanup],
        ["ashr %a, 31", "lshr %q.4, 29", "ashr %q.6, 3", "shl %q.7, 1", "shl %q.7, 3"],
    ),
    "an access that may cross a word": (HALVES, [split_accesses], ["load.4 %p", "add %p, 4", "shl %a", "store.8 @y+0"]),
    "a condition in a loop": (
        CONDITION,
        [if_convert, cleanup],
        ["store.4 @x+0, %i, %c", "select %if.5, 7, %i", "store.4 @y+0, %if.6"],
    ),
    "a copy": (
        "entry:\n  call void @llvm.memcpy.p0.p0.i64(ptr @y, ptr @x, i64 8, i1 false)\n  ret void\n",
        [expand_memory_operations],
        ["load.8 @x+0", "store.8 @y+0"],
    ),
}


def after(body: str, passes: list[Callable[[Function], None]]) -> str:
    module = read(program(body))
    mark_objects(module)
    function = module.functions["polyloom_kernel"]
    for change in passes:
        change(function)
    return function.text()


@pytest.mark.parametrize("name", CASES)
def test_pass(name: str) -> None:
    body, passes, expected = CASES[name]
    text = after(body, passes)
    for words in expected:
        assert words in text, text


def test_condition_leaves_one_block() -> None:
    text = after(CONDITION, [if_convert, cleanup])
    assert "then:" not in text
    assert "join:" not in text


def test_what_an_address_may_be() -> None:
    module = read(
        program(
            """
entry:
  store ptr inttoptr (i64 2147483712 to ptr), ptr @y, align 8
  %p = load ptr, ptr @y, align 8
  %q = getelementptr i32, ptr %p, i64 5
  %a = load i32, ptr %q, align 4
  store i32 %a, ptr @x, align 4
  ret void
"""
        )
    )
    mark_objects(module)
    loads = [i for i in module.functions["polyloom_kernel"].instrs() if i.op in {"load", "store"}]
    names = [sorted(o.name for o in i.objects or ()) for i in loads]
    assert names == [["y"], ["y"], [DRAM.name], ["x"]]


def test_numbers_that_look_like_addresses_are_none() -> None:
    """A polynomial, and an address that two others' xor gives: no access to DRAM or to the other object."""
    x, y = (f"i64 ptrtoint (ptr @{name} to i64)" for name in "xy")
    module = read(
        program(
            f"""
entry:
  %c = load i32, ptr @x, align 4
  %d = xor i32 %c, -306674912
  %i = and i32 %d, 3
  %p = getelementptr i32, ptr @x, i32 %i
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr inttoptr (i64 xor (i64 xor ({x}, {y}), {x}) to ptr), align 4
  ret void
"""
        )
    )
    mark_objects(module)
    accesses = [i for i in module.functions["polyloom_kernel"].instrs() if i.op in {"load", "store"}]
    assert [sorted(o.name for o in i.objects or ()) for i in accesses] == [["x"], ["x"], ["y"]]


LARGE = """
@z = global [100 x i32] zeroinitializer, align 16
@l = global <{ ptr, [30 x ptr] }> <{ ptr @l, [30 x ptr] zeroinitializer }>, align 8
@__polyloom_heap = external global [0 x i8]
define void @polyloom_kernel() {
entry:
  %a = load i32, ptr @z, align 4
  %p = load ptr, ptr @l, align 8
  store i32 %a, ptr %p, align 4
  store i32 %a, ptr @__polyloom_heap, align 4
  ret void
}
"""


def test_large_objects_are_in_dram_and_get_their_values_from_the_kernel() -> None:
    module = read(HEAD + LARGE, Options(object_limit=64))
    start_dram(module)
    entry = module.functions["polyloom_kernel"]
    starts = [i.text() for i in entry.instrs() if i.op in {"memset", "memcpy"}]
    assert starts == ["memset @z+0, 0, 400", "memcpy @l+0, @l.start+0, 8", "memset @l+8, 0, 240"]
    objects = {o.name: o for o in module.objects}
    assert objects["x"].address < objects["l.start"].address + 256 < 0x8000_0000
    assert objects["l.start"].content == objects["l"].address.to_bytes(4, "little")
    mark_objects(module)
    accesses = [i for i in entry.instrs() if i.op in {"load", "store"}]
    assert [i.objects for i in accesses] == [frozenset({DRAM})] * 4
    heap = accesses[-1].args[0]
    assert isinstance(heap, Const) and heap.value == objects["l"].address + 256
