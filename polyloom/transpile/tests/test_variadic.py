# SPDX-License-Identifier: Apache-2.0
# Covers: functions with `...`: their arguments arrive, through a copy of the list too; what cannot be handed over.
# Leaves out: printing with them (tests/mpi/files.c in tests/test_mpirun.py).
from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.base.errors import UserError
from polyloom.hls import frontend
from polyloom.transpile import variadic

HEAD = """#include <stdarg.h>
#include <stdint.h>
extern void __polyloom_push(unsigned, uint64_t);
struct two { long a, b; };
"""


def module(folder: Path, body: str) -> str:
    source = folder / "program.c"
    source.write_text(HEAD + body)
    return variadic.resolve(frontend.compile_unit(source, [], folder / "program.ll").read_text())


def test_arguments_arrive(tmp_path: Path) -> None:
    """LLVM computes the sum from what it finds in memory."""
    body = """
    static __attribute__((noinline)) long sum(int first, ...) {
      va_list list, again;
      va_start(list, first);
      va_copy(again, list);
      long sum = first + va_arg(list, int) + va_arg(list, long) + (long)va_arg(list, double) + *va_arg(list, int*);
      va_end(list);
      sum += 2 * va_arg(again, int);
      va_end(again);
      return sum;
    }
    void polyloom_kernel(void) {
      int last = 10000;
      __polyloom_push(1, (uint64_t)sum(1, -20, 1L << 40, 400.0, &last));
    }"""
    text = module(tmp_path, body)
    assert "..." not in text and "call void @llvm.va_" not in text
    want = 1 - 20 + (1 << 40) + 400 + 10000 - 40
    assert f"i64 noundef {want})" in frontend.optimise(text.replace("noinline", "alwaysinline"))


def test_a_struct_is_refused(tmp_path: Path) -> None:
    body = """
    static __attribute__((noinline)) long get(int first, ...) {
      va_list list;
      va_start(list, first);
      return va_arg(list, struct two).b;
    }
    void polyloom_kernel(void) { __polyloom_push(1, (uint64_t)get(1, (struct two){1, 2})); }"""
    with pytest.raises(UserError, match=r"get: a struct among the arguments of `\.\.\.`"):
        module(tmp_path, body)
