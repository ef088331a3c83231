# SPDX-License-Identifier: Apache-2.0
# Covers: C programs of all kinds as circuits against the same C run natively, with random stalls and DMA beside.
# Leaves out: cycle counts (test_speed.py), programs drawn at random, messages to the user (test_diagnostics.py).
from pathlib import Path

import pytest

from polyloom.hls import Options
from polyloom.hls.testing import SCRATCH_NAME, build_kernel, run_native
from polyloom.testing import FULL

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))


def word_sets(source: str) -> list[list[int]]:
    """Inputs of a program: its comment "words: 1 2 / 3 4", perhaps of several lines."""
    comment = source.partition("/* words:")[2].partition("*/")[0].replace("\n *", " ")
    return [[int(w, 0) for w in part.split()] for part in comment.split("/")]


#: Everything in block RAM, or everything but the smallest in DRAM, which holds anything when a kernel starts.
PLACES = {"block RAM": Options(), "DRAM": Options(object_limit=16)}


#: Daily each program in one of the places.
CASES = [(f, place) for i, f in enumerate(PROGRAMS) for j, place in enumerate(PLACES) if FULL or (i + j) % 2 == 0]


@pytest.mark.parametrize(("file", "place"), CASES, ids=lambda v: v if isinstance(v, str) else v.stem)
def test_as_native(file: Path, place: str) -> None:
    source = file.read_text()
    kernel = build_kernel(source, PLACES[place])
    in_dram = {o["name"] for o in kernel.kernel.report["objects"] if o["memory"] == "dram"} - {SCRATCH_NAME}
    assert bool(in_dram) == (place == "DRAM")
    for seed, words in enumerate(word_sets(source)):
        expected = run_native(source, words, rank=5)
        assert expected, "the program must push something"
        for stall in (0, 30, 75):
            pushes, _ = kernel.run(words, seed=seed, stall=stall, rank=5)
            assert pushes == expected, f"words {words}, stall {stall}"
