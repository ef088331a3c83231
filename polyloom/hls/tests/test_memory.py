# SPDX-License-Identifier: Apache-2.0
# Covers: the ports of polyloom_hls_memory under DMA at every rate (which the harness checks: it reads back what it
# wrote, and is never refused twice on end), objects in the report, strings, constants without memory.
# Leaves out: synthesis; polyloom_hls_multiply and polyloom_hls_divide are tested by test_compiled_programs.py.
from itertools import pairwise
from pathlib import Path

from polyloom.hls.testing import build_kernel, compile_source, run_native

SOURCE = """
#include "intrinsics.h"
static int a[200], b[200];
static const char text[] = "never loaded";
void polyloom_kernel(void) {
  for (int i = 0; i < 200; i++) a[i] = (int)__polyloom_pop(0);
  for (int k = 0; k < 20; k++)
    for (int i = 1; i < 199; i++) b[i] = a[i - 1] ^ a[i + 1] ^ a[(i * 7) % 200] ^ a[199 - i] ^ k;
  for (int i = 1; i < 199; i++) __polyloom_push(1, (uint64_t)(int64_t)b[i]);
  unsigned long where = (unsigned long)text;
  static unsigned long note[1];
  note[0] = where;
  __polyloom_push(2, (unsigned long)note != 0);
}
"""


def test_dma_beside_the_kernel() -> None:
    kernel = build_kernel(SOURCE)
    words = [(i * 2654435761) & 0x7FFFFFFF for i in range(200)]
    expected = run_native(SOURCE, words)
    quiet, alone = kernel.run(words, stall=0)
    assert quiet == expected
    for stall in (5, 50, 95):
        pushes, cycles = kernel.run(words, seed=stall, stall=stall)
        assert pushes == expected
        assert cycles > alone


def test_report() -> None:
    report = compile_source(SOURCE).report
    objects = {o["name"]: o for o in report["objects"]}
    assert objects["a"]["bytes"] == 800
    addresses = sorted((o["address"], o["bytes"]) for o in report["objects"])
    assert all(address % 16 == 0 and address >= 0x10000 for address, _ in addresses)
    assert all(a + size <= b for (a, size), (b, _) in pairwise(addresses))


def test_strings_that_nothing_loads(tmp_path: Path) -> None:
    source = """
#include "intrinsics.h"
static uint64_t words[2];
void polyloom_kernel(void) {
  words[0] = (uint64_t)(uintptr_t)"rank %d of %d\\n" | 2ull << 32;
  __polyloom_push(0, (uint64_t)(uintptr_t)"caf\\xe9");
  words[1] = __polyloom_pop(0);
  __polyloom_push(0, (uint64_t)(uintptr_t)words);
}
"""
    report = compile_source(source).report
    assert "rank %d of %d\n" in report["strings"].values()
    assert list(b"caf\xe9") in report["strings"].values(), "a list where it is no UTF-8"
    (text, _) = [o for o in report["objects"] if o["kind"] == "constant"]
    assert text["memory"] is None
