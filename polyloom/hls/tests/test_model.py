# SPDX-License-Identifier: Apache-2.0
# Covers: a kernel's model in C++ against its circuit: the same words, and the same cycle of every push, pop and access
#         to DRAM and of the end, with and without random stalls, which both get in the same cycles; what DMA and the
#         model see of each other.
# Leaves out: cycles that a circuit loses to DMA; faults (test_checks.py).
from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Sequence
from itertools import zip_longest
from math import inf
from pathlib import Path

import pytest

from polyloom.hls import Options, toolchain
from polyloom.hls.testing import compile_source, simulate
from polyloom.hls.testing.run import KernelRun
from polyloom.hls.tests.random_kernels.program import random_program, random_words
from polyloom.hls.tests.random_kernels.test_random_kernels import FLAGS
from polyloom.hls.tests.test_compiled_programs import CASES, PLACES, word_sets
from polyloom.testing import FULL


def both(source: str, options: Options | None = None, flags: Sequence[str] = ()) -> list[KernelRun]:
    """The circuit, the model in its place, and the model as fast as it goes."""
    kernel = compile_source(source, options, flags)
    model = simulate.compile_model(kernel.model())
    programs = [simulate.verilate(kernel.verilog), model / "kernel", model / "ahead"]
    return [KernelRun(kernel, program) for program in programs]


def same(kernels: list[KernelRun], words: list[int], seed: int, stall: int, folder: Path) -> None:
    """Compare a run of circuit and model; what the circuit does is expected."""
    ends, lines = [], []
    for name, kernel in zip(("circuit", "model"), kernels, strict=False):
        trace = folder / name
        ends.append(kernel.run(words, seed=seed, stall=stall, rank=5, dma=False, trace=trace))
        lines.append(trace.read_text().splitlines())
    expected, got = lines
    wrong = next((n for n, (e, g) in enumerate(zip_longest(expected, got)) if e != g), None)
    assert wrong is None, f"access {wrong}, stall {stall}: {got[wrong:][:1]}, expected {expected[wrong:][:1]}"
    assert expected and ends[0] == ends[1]
    if stall == 0:
        assert kernels[2].run(words, stall=0, rank=5) == ends[0]


@pytest.mark.parametrize(("file", "place"), CASES, ids=lambda v: v if isinstance(v, str) else v.stem)
def test_programs(file: Path, place: str, tmp_path: Path) -> None:
    source = file.read_text()
    kernels = both(source, PLACES[place])
    for seed, words in enumerate(word_sets(source)):
        for stall in (0, 30, 75):
            same(kernels, words, seed, stall, tmp_path)


@pytest.mark.parametrize("seed", range(100 if FULL else 4))
def test_random_kernels(seed: int, tmp_path: Path) -> None:
    program = random_program(seed)
    kernels = both(program.source(), Options(object_limit=16) if seed % 4 == 3 else None, FLAGS)
    for stall in (0, 60):
        same(kernels, random_words(program), seed, stall, tmp_path)


#: Each pair of numbers through every operation that rounds, has no result for some operands, or shifts everything out.
NUMBERS = """
#include "intrinsics.h"
#define COMPARISONS(x, y) ((x) < (y)) | ((x) <= (y)) << 1 | ((x) == (y)) << 2 | ((x) != (y)) << 3 \\
    | !((x) < (y)) << 4 | !((x) <= (y)) << 5 | __builtin_isunordered(x, y) << 6 | __builtin_islessgreater(x, y) << 7
union word { uint64_t bits; double d; float f; int64_t s; uint32_t w; int32_t i; };
static void put(double d) { union word u; u.d = d; __polyloom_push(0, u.bits); }
static void put_single(float f) { union word u = {0}; u.f = f; __polyloom_push(1, u.bits); }
static void put_number(uint64_t n) { __polyloom_push(2, n); }
void polyloom_kernel(void) {
  for (uint64_t count = __polyloom_pop(0); count; count--) {
    union word a, b;
    a.bits = __polyloom_pop(0), b.bits = __polyloom_pop(0);
    put(a.d + b.d), put(a.d - b.d), put(a.d * b.d), put(a.d / b.d), put(__builtin_sqrt(a.d)), put((double)a.f);
    put_single(a.f + b.f), put_single(a.f - b.f), put_single(a.f * b.f), put_single(a.f / b.f);
    put_single(__builtin_sqrtf(a.f)), put_single((float)a.d);
    put((double)a.s), put((double)a.bits), put((double)a.i), put((double)a.w);
    put_single((float)a.s), put_single((float)a.bits), put_single((float)a.i), put_single((float)a.w);
    put_number((uint64_t)(int64_t)a.d), put_number((uint64_t)a.d), put_number((uint32_t)(int32_t)a.d);
    put_number((uint32_t)a.d), put_number((uint64_t)(int64_t)a.f), put_number((uint64_t)a.f);
    put_number((uint32_t)(int32_t)a.f), put_number((uint32_t)a.f), put_number((uint8_t)a.f);
    put_number(COMPARISONS(a.d, b.d));
    put_number(COMPARISONS(a.f, b.f));
    if (b.w) put_number((uint64_t)(a.s / b.i)), put_number((uint32_t)(a.i / b.i)), put_number(a.bits / b.bits);
    b.bits |= 1;
    put_number((uint64_t)(a.s % b.s)), put_number((uint32_t)(a.i % b.i)), put_number(a.bits % b.bits);
  }
}
"""


def test_numbers_at_the_edges(tmp_path: Path) -> None:
    doubles = [0, -0.0, 1, -1.5, 1e308, 5e-324, 2.2e-308, 1e-40, 4e38, 2**31, 2**63, -(2**63), 2**64, 1e300, inf, -inf]
    corners = [struct.unpack("<Q", struct.pack("<d", d))[0] for d in doubles]
    singles = [
        0x7F800001,
        0xFFC12345,
        0x7F800000,
        0x80000000,
        0x00000001,
        0x7F7FFFFF,
        0x4F000000,
        0x5F800000,
        0xFFFFFFFF,
    ]
    nans = [0x7FF0000000000001, 0xFFF8000012345678, 0x7FF8000000000000]
    corners += [*singles, *nans, 2**63, 2**64 - 1, 2**53 + 1, 2**24 + 1, 0xFFFFFF80, 1 << 63 | 1 << 10]
    rng = random.Random(1)
    pairs = [(rng.choice(corners), rng.choice(corners)) for _ in range(1000 if FULL else 150)]
    pairs += [(rng.getrandbits(64), rng.getrandbits(64)) for _ in range(50)]
    words = [len(pairs), *(w for pair in pairs for w in pair)]
    same(both(NUMBERS), words, 1, 0, tmp_path)


TWO_PARTIES = """
#include "intrinsics.h"
static const uint32_t table[4] = {1, 2, 3, 4};
static volatile uint64_t box[8];
void polyloom_kernel(void) {
  __polyloom_push(0, (uint32_t)(uintptr_t)box), __polyloom_push(0, (uint32_t)(uintptr_t)table);
  while (__polyloom_pop(0)) {
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) sum += box[i];
    box[0] = sum;
    __polyloom_push(0, sum);
  }
  while (box[7] != 99) {}
}
"""


def test_the_contract_with_who_runs_it(tmp_path: Path) -> None:
    source, program = tmp_path / "kernel.cc", tmp_path / "program"
    source.write_text(compile_source(TWO_PARTIES).model())
    sources = [source, Path(__file__).parent / "model_contract.cc"]
    flags = ["-std=c++20", *simulate.MODEL_FLAGS, f"-I{simulate.MODEL}"]
    toolchain.run("clang++", [*flags, *sources, "-o", program])
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.stdout == "right\n"


#: A loop that reads an array at several places.
PORTS = """
#include "intrinsics.h"
static uint32_t a[8192];
void polyloom_kernel(void) {
  const uint32_t times = (uint32_t)__polyloom_pop(0);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 8192; i++) a[i] = i ^ times;
  for (uint32_t t = 0; t < times; t++)
    for (uint32_t i = 0; i < 8192; i++) sum = sum * 5 + (BODY);
  __polyloom_push(0, sum);
}
"""


@pytest.mark.parametrize(
    ("body", "least", "pipeline"),
    [
        ("a[i] + a[i * 3 & 8191]", 1.03, True),  # both ports in each cycle
        ("a[i] + a[i * 3 & 8191] + a[i * 5 & 8191]", 1.01, True),  # in every second
        ("a[i] + a[i * 3 & 8191]", 1.01, False),  # iterations one after the other
        ("a[i]", 1, True),
    ],
)
def test_dma_costs_what_it_costs_the_circuit_on_average(body: str, least: float, pipeline: bool) -> None:
    circuit, model, _ = both(PORTS.replace("BODY", body), Options(copies=1, pipeline=pipeline))
    expected, got, alone = (
        kernel.run([10], stall=75, dma=dma)[1] for kernel, dma in ((circuit, True), (model, True), (circuit, False))
    )
    assert expected >= least * alone, "DMA must matter"
    assert got == pytest.approx(expected, rel=0.0005)
