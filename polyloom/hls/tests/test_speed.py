# SPDX-License-Identifier: Apache-2.0
# Covers: how often iterations of the loops that matter begin, and cycles an element, measured by the kernel itself.
# Leaves out: results (test_compiled_programs.py).
import pytest

from polyloom.hls.testing import build_kernel, run_native
from polyloom.testing import daily

FRAME = """
#include "intrinsics.h"
static TYPE g[34][1024], h[34][1024];
void polyloom_kernel(void) {
  int rows = (int)__polyloom_pop(0);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 1024; j++) g[i][j] = (TYPE)(i * 37 - j % 61);
  uint64_t begin = __polyloom_cycle();
  BODY
  uint64_t end = __polyloom_cycle();
  __polyloom_push(2, end - begin);
  TYPE total = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 1024; j++) total = (total > 1000 ? total - 900 : total) + h[i][j];
  __polyloom_push(1, (uint64_t)(int64_t)total);
}
"""
STENCIL = """
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 1024; j++) {
      if (i == 0 || i == rows - 1 || j == 0 || j == 1023) h[i][j] = g[i][j];
      else h[i][j] = (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1]) QUARTER;
    }
"""
#: name: type, body, most cycles an element of a row
CASES = {
    "integer stencil, a shift": ("int", STENCIL.replace("QUARTER", ">> 2"), 1.05),
    "integer stencil, a division": ("int", STENCIL.replace("QUARTER", "/ 4.0"), 1.05),
    "float stencil": ("float", STENCIL.replace("QUARTER", "* 0.25f"), 1.05),
    "dot product": (
        "int",
        "for (int i = 0; i < rows; i++) "
        "{ int s = 0; for (int j = 0; j < 1024; j++) s += g[i][j] * g[0][j]; h[i][0] = s; }",
        1.05,
    ),
    "prefix with a condition": (
        "int",
        "for (int i = 0; i < rows; i++) for (int j = 1; j < 1024; j++) "
        "{ g[i][j] += g[i][j - 1]; if (g[i][j] > 5000) g[i][j] -= 7000; h[i][j] = g[i][j]; }",
        2.0,
    ),
    "copy by memcpy": ("int", "for (int i = 0; i < rows; i++) __builtin_memcpy(h[i], g[i], sizeof h[i]);", 0.55),
}


@pytest.mark.parametrize("name", daily(list(CASES), 3))
def test_cycles_an_element(name: str) -> None:
    kind, body, most = CASES[name]
    source = FRAME.replace("TYPE", kind).replace("BODY", body)
    rows = 34
    pushes, _ = build_kernel(source).run([rows], stall=0)
    native = run_native(source, [rows])
    assert [p for p in pushes if p[0] == 1] == [p for p in native if p[0] == 1]
    cycles = next(word for port, word in pushes if port == 2)
    assert cycles / (rows * 1024) <= most
