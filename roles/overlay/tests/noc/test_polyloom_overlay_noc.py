# SPDX-License-Identifier: Apache-2.0
"""Builds the message network with Verilator in several shapes and runs overlay_noc_test.cc and _flow_test.cc on each.

Tests polyloom_overlay_noc with all that it is made of, in every cycle: polyloom_overlay_router,
polyloom_overlay_board_router, polyloom_overlay_noc_crossbar (polyloom_overlay_noc_input, polyloom_overlay_noc_output,
polyloom_overlay_noc_arbiter, polyloom_overlay_noc_room), polyloom_overlay_noc_exit, polyloom_overlay_noc_pkg,
polyloom_overlay_expander, polyloom_overlay_router_port, polyloom_overlay_records_pkg.
Covers: RTL against Noc, throughput of the RTL alone; with keys, over both ports and all slices; 1x1 and 2x2
tiles, others, boards without programmable routers, and routers whose clocks stop, if
POLYLOOM_TEST_FULL is set; bad sizes are refused.
Leaves out: what the fast model computes (noc_test.cc); the mailbox in RTL.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.base import paths
from polyloom.rtl import filelist
from polyloom.rtl.testing import Program, Verilated, elaborate
from polyloom.testing import FULL

HERE = Path(__file__).parent
NET = paths.home() / "roles" / "overlay" / "sim" / "net"
FILES = filelist.read(HERE.parents[1] / "rtl" / "noc" / "noc.f").with_sources(HERE / "overlay_noc_tb.sv")
MODELS = [NET / f"{part}.cc" for part in ("noc", "expanders", "mailbox", "../../arch/address")]
TESTS = [HERE / "overlay_noc_test.cc", HERE / "overlay_noc_flow_test.cc"]
LONG = pytest.mark.skipif(not FULL, reason="minutes; POLYLOOM_TEST_FULL=1 runs it")


@pytest.mark.parametrize(
    ("tiles", "max_flits", "link_flits", "slices", "line_bytes", "routers", "gate"),
    [
        ((1, 1), 4, 16, 1, 32, 1, 0),
        ((2, 2), 4, 16, 2, 64, 1, 0),
        pytest.param((2, 2), 4, 16, 1, 32, 1, 1, marks=LONG),
        pytest.param((2, 2), 4, 16, 1, 32, 0, 0, marks=LONG),
        pytest.param((3, 2), 3, 7, 2, 32, 1, 0, marks=LONG),
        pytest.param((2, 3), 1, 2, 1, 64, 1, 0, marks=LONG),
        pytest.param((4, 4), 4, 16, 2, 32, 1, 0, marks=LONG),
    ],
)
def test_rtl_equals_the_model_in_every_cycle(
    tiles: tuple[int, int], max_flits: int, link_flits: int, slices: int, line_bytes: int, routers: int, gate: int
) -> None:
    sizes = {"TilesX": tiles[0], "TilesY": tiles[1], "MaxFlits": max_flits, "LinkFlits": link_flits}
    sizes |= {"Slices": slices, "LineBytes": line_bytes}
    options = ("-Wall", "-Wno-UNUSEDSIGNAL")
    switches = {"Routers": f"1'b{routers}", "Gate": f"1'b{gate}"}
    model = Verilated("overlay_noc_tb", FILES, sizes | switches, options=options)
    defines = {"TILES_X": tiles[0], "TILES_Y": tiles[1], "MAX_FLITS": max_flits, "LINK_FLITS": link_flits}
    defines |= {"SLICES": slices, "LINE_BYTES": line_bytes, "ROUTERS": routers}
    Program(model, [*TESTS, *MODELS], defines).run(timeout=600)


@pytest.mark.parametrize(
    ("parameters", "word"),
    [({"MaxFlits": 5}, "MaxFlits 5"), ({"LinkFlits": 3}, "Flits 3"), ({"TilesX": 0}, "tiles")],
)
def test_bad_sizes_are_refused_at_elaboration(parameters: dict[str, int], word: str) -> None:
    assert word in elaborate("overlay_noc_tb", FILES, **parameters)
