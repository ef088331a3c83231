# SPDX-License-Identifier: Apache-2.0
# Covers: calls through pointers become direct ones: chosen at run time by a number, known when the program is made,
#         of several types; a call for which no function is there.
# Leaves out: what kernels of such programs compute (tests/mpi/operators.c in tests/test_mpirun.py).
from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyloom.hls import frontend
from polyloom.hls.errors import HlsError
from polyloom.hls.pipeline import compile_kernel
from polyloom.transpile import indirect

HEAD = (
    "#include <stdint.h>\nextern uint64_t __polyloom_pop(unsigned); extern void __polyloom_push(unsigned, uint64_t);\n"
)
TWO = """
static int twice(int x) { return 2 * x; }
static int half(int x) { return x / 2; }
static void store(int* x) { *x = 7; }
"""


def module(folder: Path, body: str) -> str:
    """IR of a program that is not optimised as a whole, without calls through pointers."""
    source = folder / "program.c"
    source.write_text(HEAD + body)
    return indirect.resolve(frontend.compile_unit(source, [], folder / "program.ll").read_text())


def test_a_pointer_chosen_at_run_time(tmp_path: Path) -> None:
    body = """
    int (*table[2])(int) = {twice, half};
    void (*volatile other)(int*) = store;
    void polyloom_kernel(void) {
      int x = 0;
      other(&x);
      __polyloom_push(1, (uint64_t)table[__polyloom_pop(1) & 1](x));
    }"""
    text = module(tmp_path, TWO + body)
    assert len(re.findall(r"^define internal .*@polyloom\.indirect\.\d+\(ptr %function", text, re.MULTILINE)) == 2
    assert not re.search(r"ptr @(?:twice|half|store)\b", text), "an address is left"
    kernel = compile_kernel(frontend.optimise(text))
    assert kernel.report["states"] > 0


def test_a_function_of_any_number_of_arguments(tmp_path: Path) -> None:
    """As MPI's handlers of errors are, which use none but the named ones."""
    body = """
    static void none(int* x, ...) { *x = 0; }
    static void one(int* x, ...) { *x = 1; }
    void (*table[2])(int*, ...) = {none, one};
    void polyloom_kernel(void) {
      int x;
      table[__polyloom_pop(1) & 1](&x);
      __polyloom_push(1, (uint64_t)x);
    }"""
    text = frontend.optimise(module(tmp_path, body))
    assert "..." not in text, "a circuit has no such functions"
    assert compile_kernel(text).report["states"] > 0


def test_what_llvm_knows_is_not_chosen(tmp_path: Path) -> None:
    body = """
    static int apply(int (*f)(int), int x) { return f(x); }
    void polyloom_kernel(void) {
      const int x = (int)__polyloom_pop(1);
      __polyloom_push(1, (uint64_t)(apply(twice, x) + apply(half, x)));
    }"""
    text = frontend.optimise(module(tmp_path, TWO + body))
    assert "inttoptr" not in text and "polyloom.indirect" not in text


def test_a_call_without_a_function_is_refused(tmp_path: Path) -> None:
    body = """
    void polyloom_kernel(void) {
      void (*f)(long) = (void (*)(long))__polyloom_pop(1);
      f(3);
    }"""
    text = frontend.optimise(module(tmp_path, body))
    with pytest.raises(HlsError, match="call through a pointer"):
        compile_kernel(text)
