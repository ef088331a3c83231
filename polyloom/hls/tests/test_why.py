# SPDX-License-Identifier: Apache-2.0
# Covers: what the report says of loops: why an iteration does not begin in every cycle, for loops where that is known;
#         that a reason is one: without it iterations begin more often; nests, constant trip counts.
# Leaves out: how often iterations begin (test_speed.py), cycles of a run (tests/test_mpi_profile.py).
from __future__ import annotations

import re

import pytest

from polyloom.hls.testing import compile_source

FRAME = """
#include "intrinsics.h"
static float f[256]; static int g[256], h[256]; static unsigned u[256];
void polyloom_kernel(void) {
  for (int i = 0; i < 256; i++) {
    g[i] = (int)__polyloom_pop(0); f[i] = (float)g[i]; u[i] = (unsigned)__polyloom_pop(0) | 1;
  }
  unsigned q = 0; float s = 0; int n = 0, at = 0;
BODY
  __polyloom_push(1, q + (unsigned)s + (unsigned)n + (unsigned)at);
  for (int i = 0; i < 256; i++) __polyloom_push(1, (unsigned)(g[i] + h[i]) + u[i]);
}
"""
LINE = FRAME.splitlines().index("BODY") + 1
#: Text at line LINE: cycles an iteration, and the reason; none: an iteration begins in every cycle.
CASES = {
    "one a cycle": ("for (int i = 0; i < 256; i++) h[i] = g[i] * 3;", 1, ""),
    "a sum of floats": (
        "for (int i = 0; i < 256; i++) s += f[i];",
        None,
        rf"the next iteration needs the result of a floating-point addition \(line {LINE}\), \d+ cycles",
    ),
    "a product of integers": (
        "for (int i = 0; i < 256; i++) q = q * 12347u + u[i] / 16;",
        None,
        rf"the next iteration needs the result of a multiplication \(line {LINE}\), 2 cycles",
    ),
    "ports": (
        "for (int i = 0; i < 240; i++) h[i] = g[i * 3 & 255] + g[i * 5 & 255] + g[i * 7 & 255] + g[i * 11 & 255] "
        "+ g[i * 13 & 255];",
        2,
        r"an iteration has 5 loads and 0 stores of 'g', whose block RAM has 2 ports and a copy, for loads",
    ),
    "a division": (
        "for (int i = 0; i < 256; i++) h[i] = (int)(12345u / u[i]);",
        34,
        rf"a division \(line {LINE}\) keeps its unit busy for 34 cycles",
    ),
    "what was stored": (
        "for (int i = 0; i < 256; i++) h[g[i] & 255] += 3;",
        None,
        rf"a load of 'h' \(line {LINE}\) may touch what an iteration before has stored \(line {LINE}\)",
    ),
    "halves of a word": (
        "struct { int a, b; } *p = (void *)h; for (int i = 0; i < 63; i++) p[i].a = i * 5 % 4, p[i].b = n * 10 + i;",
        2,
        rf"a store of 'h' \(line {LINE}\) and a store of 'h' \(line {LINE}\) share a word",
    ),
    "a chain of loads": (
        "while (n < 1000 && g[at] > 3) { at = g[at] & 255; n++; }",
        None,
        rf"the next iteration needs the result of a load \(line {LINE}\), 1 cycle, and it decides whether there is",
    ),
    "a stream": (
        "for (int i = 0; i < 256; i++) __polyloom_push(3, __polyloom_pop(2));",
        None,
        rf"it waits for an MPI call \(line {LINE}\)",
    ),
    "the time": (
        "for (int i = 0; i < 9; i++) u[i] = (unsigned)__polyloom_cycle();",
        None,
        rf"it asks for the time \(line {LINE}\)",
    ),
    "DRAM": (
        "for (int i = 0; i < 256; i++) q += ((unsigned *)__polyloom_heap)[i * 7 & 63];",
        None,
        rf"a load that may go to DRAM \(line {LINE}\), and accesses to DRAM are one at a time",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_reason(name: str) -> None:
    body, cycles, reason = CASES[name]
    found = compile_source(FRAME.replace("BODY", body)).report["loops"]
    [loop] = [loop for loop in found if re.search(rf":{LINE}:\d+$", loop["where"])]
    assert re.match(reason, loop["why"]), loop["why"]
    assert bool(loop["why"]) == bool(reason) and (cycles is None or loop["ii"] == cycles)


def test_nests_and_trip_counts() -> None:
    body = "for (int i = 0; i < 16; i++)\n for (int j = 0; j < 16; j++) h[16 * i + j] = g[16 * j + i] + 1;"
    loops = {
        int(loop["where"].rsplit(":", 2)[1]): loop
        for loop in compile_source(FRAME.replace("BODY", body)).report["loops"]
    }
    outer, inner = loops[LINE], loops[LINE + 1]
    assert (outer["nest"], inner["nest"], inner["trip_count"], inner["ii"]) == (1, 2, 16, 1)
    assert outer["ii"] is None and outer["why"] == f"it has a loop inside (line {LINE + 1})"
    assert set(inner["rows"]) < set(outer["rows"])
