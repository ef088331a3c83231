# SPDX-License-Identifier: Apache-2.0
"""Covers: the RTL tools in doctor's list, there and not there.

Leaves out: system tools (tests/test_bad_input.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyloom.base.errors import UserError
from polyloom.cli import doctor
from polyloom.rtl import tools


def listed() -> dict[str, dict[str, object]]:
    checks = json.loads(doctor.as_json(doctor.examine()))["checks"]
    return {check["name"]: check for check in checks}


def test_tools_of_rtl_are_listed_with_path_and_version() -> None:
    checks = listed()
    for name in doctor.RTL_TOOLS:
        assert checks[name]["found"] == f"{tools.find(name)} {tools.version(name)}"
        assert checks[name]["ok"] and not checks[name]["required"]


def test_a_missing_tool_says_how_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> Path:
        if name == "z3":
            raise UserError("not there")
        return Path("/somewhere") / name

    monkeypatch.setattr(tools, "find", find)
    check = listed()["z3"]
    assert not check["ok"] and "make setup-tests" in str(check["fix"]) and "z3-solver" in str(check["fix"])
    assert listed()["verilator"]["ok"]
