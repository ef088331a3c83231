# SPDX-License-Identifier: Apache-2.0
"""Covers: sums by subsystem, the rest, the published column, errors, sizes of a role; that groups name real modules.

Leaves out: what synthesis says.
"""

from __future__ import annotations

import pytest

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.rtl import fold
from polyloom.synth import designs, flow, groups
from polyloom.synth.count import Resources, Row
from polyloom.synth.parts import PARTS

GROUPS = groups.Groups(
    title="A paper",
    unit="ALM",
    per="core",
    ours=("TilesX", "Cores=4"),
    theirs=10,
    rest=50,
    rows=(
        {"what": "a", "modules": ["x", "y"], "published": 100},
        {"what": "b", "modules": ["z"]},
        {"what": "c", "published": 7},
    ),
    wholes=({"what": "whole", "published": 1200},),
)


def row(module: str, logic: float, inside: float) -> Row:
    return Row(logic=logic, ff=1, module=module, instances=1, inside=Resources(inside, 2, 0.5, 1))


def example() -> tuple[list[Row], Row]:
    rows = [row("top", 5, 1000), row("x", 1, 300), row("y", 1, 200), row("other", 495, 500)]
    return rows, Row(logic=1000, ff=40, bram=8, dsp=3, module="total", inside=Resources(1000, 40, 8, 3))


def test_subsystems_take_what_is_inside_and_the_rest_is_left() -> None:
    found = groups.split(GROUPS, *example())
    assert found == {"a": Resources(500, 4, 1, 2), "b": Resources(), "rest": Resources(500, 36, 7, 1)}


def test_published_stands_beside_the_same_unit_only() -> None:
    text = groups.as_text(GROUPS, "intel-alm", {"TilesX": "5"}, *example())
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    assert lines["a"] == ["500", "4", "1", "2", "25", "100", "10"]
    assert lines["c"] == ["7", "1"]
    assert lines["rest"] == ["500", "36", "7", "1", "25", "50", "5"]
    assert lines["total"] == ["1,000", "40", "8", "3", "50", "157", "16"]
    assert lines["whole"] == ["1,200", "120"]
    other = groups.as_text(GROUPS, "ecp5", {}, *example())
    assert "A paper" not in other
    assert "\n  c " not in other
    assert other.splitlines()[-1].split() == ["total", "1,000", "40", "8", "3", "250"]


def test_every_group_of_the_table_names_modules_that_there_are() -> None:
    table = groups.read("overlay")
    sources = {file.stem for folder in ("roles", "blocks") for file in (paths.home() / folder).rglob("*.sv")}
    for entry in table.rows:
        assert set(entry.get("modules", ())) <= sources, entry
    with pytest.raises(UserError, match="no groups 'nothing'; there are: overlay"):
        groups.read("nothing")


def test_the_published_numbers_add_up() -> None:
    table = groups.read("overlay")
    assert sum(entry.get("published", 0) for entry in table.rows) + table.rest == 143_271


def test_a_role_with_sizes_is_done_in_one() -> None:
    known = designs.read()
    assert [design.name for design in designs.select("overlay", known)] == ["overlay_tiny"]
    assert [design.name for design in designs.select("overlay", known, "default")] == ["overlay_default"]
    assert designs.jobs(designs.select("overlay", known)) == [
        (known["overlay_tiny"], part, False) for part in ("ultrascale+", "intel-alm", "ecp5")
    ]
    assert designs.jobs([known["hub_base"]]) == [(known["hub_base"], "ultrascale+", False)]
    assert [place for _, _, place in designs.jobs([known["overlay_tiny"]], pnr=True)] == [False, False, True]
    assert designs.jobs([known["overlay_tiny"]], "ultrascale+", pnr=True)[0][2]  # refused later, with a message
    assert [(d.name, part, place) for d, part, place in designs.jobs([known["overlay_tiny"]], "", True, known)][
        -2:
    ] == [
        ("overlay_tiny", "ecp5", False),
        ("overlay_tile", "ecp5", True),
    ]
    with pytest.raises(UserError, match="--size huge: 'overlay' has sizes tiny, small, default"):
        designs.select("overlay", known, "huge")
    with pytest.raises(UserError, match="--size tiny: 'hub' has no sizes"):
        designs.select("hub", known, "tiny")
    with pytest.raises(UserError, match="only a role has sizes"):
        designs.select("hub_base", known, "tiny")


def test_ram_of_two_ports_counts_by_calculation_where_synthesis_makes_registers_of_it() -> None:
    text = "\n".join(
        [
            "autoidx 1",
            "module \\polyloom_ram_2rw_be$top.i_lines",
            "  memory width 256 size 4096 \\mem",
            "end",
            "module \\polyloom_ram_1r1w$top.i_fifo",
            "  memory width 64 size 512 \\mem",
            "end",
            "module \\top",
            "  cell \\polyloom_ram_2rw_be$top.i_lines \\i_lines",
            "  end",
            "  cell \\polyloom_ram_1r1w$top.i_fifo \\i_fifo",
            "  end",
            "end",
        ]
    )
    folded = fold.fold(text, "top")
    (counts,) = flow._dual_port(folded, PARTS["intel-alm"]).values()
    assert counts == {"num_cells_by_type": {"MISTRAL_M10K": 26 * 4}}
    assert flow._dual_port(folded, PARTS["ecp5"]) == {}
