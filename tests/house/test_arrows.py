# SPDX-License-Identifier: Apache-2.0
# Covers: scripts/arrows.py: what files use, by each way of using, what the table refuses of it, rows that no file
# needs and circles; that the tree holds against its own table. Leaves out: calls between C++ files, which an include
# announces.
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "scripts"))
import arrows

FILES = {
    "low/a.h": "",
    "low/include/public.h": "",
    "low/list.f": "x.sv\n",
    "polyloom/base/errors.py": "",
    "polyloom/cli/main.py": "",
}
TABLE = """
includes = ["low/include"]
[programs]
"the-program" = "high"
[starts]
[uses]
"low" = []
"high" = []
"high/part" = []
"polyloom/base" = []
"polyloom/cli" = []
"""


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Faults of a tree of FILES and one more, held against TABLE, with some of its rows changed."""

    def run(name: str, text: str, **rows: str) -> list[str]:
        table = TABLE
        for row, used in rows.items():
            table = table.replace(f'"{row}" = []', f'"{row}" = {used}')
        (tmp_path / "arrows.toml").write_text(table)
        for path, content in {**FILES, name: text}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
        monkeypatch.setattr(arrows, "ROOT", tmp_path)
        names = [*FILES, name]
        made = arrows.Table(tmp_path / "arrows.toml")
        reader = arrows.Reader(made, names)
        return arrows.problems(made, [use for one in names for use in reader.uses(one)])

    return run


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("high/b.cc", '\n#include "low/a.h"\n', "high/b.cc:2: uses low/a.h of low; high may use no other room"),
        ("high/b.h", '#include "public.h"', "high/b.h:1: uses low/include/public.h of low;"),
        ("high/part/b.c", '#include "../../low/a.h"', "high/part/b.c:1: uses low/a.h of low; high/part may use"),
        ("high/part/b.f", "y.sv\n-f ../../low/list.f\n", "high/part/b.f:2: uses low/list.f of low;"),
        ("polyloom/base/x.py", "from polyloom.cli import main", "polyloom/base/x.py:1: uses polyloom/cli/main.py of"),
        ("polyloom/base/x.py", "def f():\n    import polyloom.cli.main", "polyloom/base/x.py:2: uses polyloom/cli"),
        ("low/b.cc", 'start("the-program");', "low/b.cc:1: starts the-program of high; low may start no other room"),
    ],
)
def test_what_no_row_allows_is_refused(check, name: str, text: str, fault: str) -> None:
    [said] = check(name, text)
    assert said.startswith(fault)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("high/b.cc", '#include "high/c.h"\n#include <low/a.h>\n'),
        ("high/tests/b.cc", '#include "low/a.h"'),
        ("high/b_test.cc", '#include "low/a.h"'),
        ("elsewhere/b.cc", '#include "low/a.h"'),
        ("polyloom/cli/test_x.py", "from polyloom.base import errors"),
    ],
)
def test_what_is_no_arrow(check, name: str, text: str) -> None:
    assert check(name, text) == []


def test_a_row_is_used_or_goes(check) -> None:
    assert check("high/b.cc", '#include "low/a.h"', high='["low"]') == []
    [said] = check("high/b.cc", "", high='["low"]')
    assert said == "scripts/arrows.toml: high may use low, but no file does; take it out"


def test_a_circle_is_shown(check) -> None:
    said = check("high/b.cc", '#include "low/a.h"', high='["low"]', low='["high"]')
    assert "scripts/arrows.toml: a circle: " in said[-1]
    assert {"high", "low"} == set(said[-1].split(": ")[2].split(" -> "))


def test_the_tree_holds_against_its_table() -> None:
    program = [sys.executable, ROOT / "scripts" / "arrows.py"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    drawn = json.loads(subprocess.run([*program, "--json"], capture_output=True, text=True, check=True).stdout)
    assert ["sim", "roles/overlay/sim"] in drawn["arrows"] and ["fabric", "sim"] in drawn["starts"]
    assert not [used for room, used in drawn["arrows"] if room in {"spec", "polyloom/base"}]
