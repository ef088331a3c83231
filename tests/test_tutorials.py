# SPDX-License-Identifier: Apache-2.0
# Covers: docs/tutorials, from the wheel and an empty folder: the files that a page lets its reader write, its commands
# in order, and what they print, simulated times included; every page has its figure, its picture of a report and a
# session. Leaves out: sessions on RTL, which build models for minutes, but for long tests.
from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT
from wheels import PATH, Installed

from polyloom.testing import FULL

sys.path.insert(0, str(ROOT / "scripts" / "manual"))
import sessions


@pytest.mark.parametrize("page", sessions.PAGES, ids=lambda page: page.stem)
def test_what_the_tutorial_says_is_what_comes(page: Path, installed: Installed, tmp_path: Path) -> None:
    search = f"{installed.environment / 'bin'}:{PATH}"
    environment = {**installed.variables, "PATH": search}
    ran = 0
    for block in sessions.blocks(page.read_text(encoding="utf-8")):
        if block.name:
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
        elif FULL or not block.full:
            for command, expected in sessions.commands(block.text):
                found, status = sessions.run(command, tmp_path, environment)
                assert status == 0, f"{command}\n{found}"
                assert sessions.pattern(expected).fullmatch(found), f"{command}\nprinted\n{found}instead of\n{expected}"
                ran += 1
    assert ran > 3


def test_each_page_has_a_figure_a_report_and_a_program() -> None:
    assert len(sessions.PAGES) >= 5
    for page in sessions.PAGES:
        text = page.read_text(encoding="utf-8")
        assert f"](../figures/tutorials/{page.stem}-machine.svg)" in text, page
        assert f"](../figures/tutorials/{page.stem}.png)" in text, page
        assert sessions.SHOT.search(text), page
        assert any(block.name for block in sessions.blocks(text)), page


@pytest.mark.parametrize(
    ("expected", "found", "holds"),
    [
        ("a 1\nb\n", "a 1\nb\n", True),
        ("a 1\nb\n", "a 2\nb\n", False),
        ("a ... s\n", "a 12.5 s\n", True),
        ("a ... s\n", "a 12.5 ms\n", False),
        ("a ... s\nb\n", "a 1\nmore s\nb\n", False),
        ("...\nb\n", "b\n", True),
        ("a\n...\nb\n", "a\nx\ny\nb\n", True),
        ("a\n...\nb\n", "a\nx\nc\n", False),
        ("", "anything\n", False),
    ],
)
def test_marks_except_no_more_than_they_say(expected: str, found: str, holds: bool) -> None:
    assert bool(sessions.pattern(expected).fullmatch(found)) is holds
