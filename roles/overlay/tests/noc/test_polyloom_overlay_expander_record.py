# SPDX-License-Identifier: Apache-2.0
"""Covers: random records of all tags, on boards all over a mesh, from the input of a link and of a column: what becomes
of them, against the layouts; tiles and threads that are not there, empty masks, tags that are none.

Leaves out: where a record lies in its beat (test_polyloom_overlay_expander.py).
"""

from __future__ import annotations

from typing import Any

import cocotb
from expander_units import (
    CHUNK,
    COLUMN,
    COPY,
    INDIRECTION,
    LINK,
    RECEIVER,
    RECORD,
    RECORDS,
    TURN,
    Site,
    copy_of,
    random_record,
)
from noc_units import WEST

from polyloom.rtl.testing import Harness, bench

test = bench(__file__, "noc_tb")
#: As in noc_tb.
SITES = (Site(WEST, (3, 2), 64, 1), Site(COLUMN, (5, 6), 16, 2))


@cocotb.test()
@cocotb.parametrize(which=range(2))
async def says_what_it_says(dut: Any, which: int) -> None:
    h = Harness(dut, dut.gen_record[which])
    site = SITES[which]
    names = ("board", "mesh", "chunk", "two", "copies", "copy", "way", "indirection", "key", "why")
    io = {name: h.signal(name) for name in names}
    await h.reset()
    seen = set()
    for _ in range(1500):
        site.mesh = (h.rng.randint(1, 8), h.rng.randint(1, 8))
        site.at = tuple(h.rng.randrange(n) for n in site.mesh)  # type: ignore[assignment]
        record, chunks = random_record(h.rng, site, 0.1)
        if h.rng.random() < 0.2:
            tag = h.rng.choice((INDIRECTION, 5, 6, 7))
            chunks = 1 + tag % 2
            record = tag << CHUNK * chunks - 3 | h.rng.getrandbits(CHUNK * chunks - 3)
        tag = record >> CHUNK * chunks - 3
        io["board"].set(site.at[1] << 3 | site.at[0])
        io["mesh"].set(site.mesh[1] << 4 | site.mesh[0])
        io["chunk"].set(record << CHUNK * (2 - chunks) | h.rng.getrandbits(CHUNK) * (chunks == 1))
        await h.step()
        got = {name: signal.get() for name, signal in io.items()}
        assert got["two"] == tag % 2
        assert got["indirection"] == (tag == INDIRECTION)
        if tag == INDIRECTION:
            assert (got["copies"], got["key"]) == (0, record & 0xFFFFFFFF)
            continue
        expected = copy_of(site, record, chunks) if tag < len(RECORDS) else RECORD
        if isinstance(expected, int):
            assert (got["copies"], got["why"]) == (0, expected), f"{site}: {record:#x}"
            seen.add(expected)
            continue
        copy = COPY.unpack(got["copy"])
        assert (got["copies"], got["way"]) == (1, 1 << expected.way)
        assert (copy["kind"], copy["dest"], copy["mask"]) == (expected.kind, expected.dest, expected.mask)
        replaced = {0: 0, 1: 0xFFFF, 3: 0xFFFFFFFF, 7: (1 << 64) - 1}[copy["replaces"]]
        assert (replaced, copy["words"] & replaced) == (expected.bits, expected.words)
        seen.add(8 + tag)
    assert seen >= {RECORD, RECEIVER, LINK, 8, 9, 10, 11} | ({TURN} if site.port == WEST else set())
