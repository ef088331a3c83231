# SPDX-License-Identifier: Apache-2.0
"""Shared by the end-to-end tests: running the polyloom command as a user would."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_server import Commands, Done
from namespaces import other_hosts
from wheels import installed, wheel

__all__ = ["installed", "other_hosts", "wheel"]

ROOT = Path(__file__).resolve().parent.parent
POLYLOOM = ROOT / ".venv" / "bin" / "polyloom"


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    """The server of this process."""
    with Commands({"POLYLOOM_HOME": str(ROOT)}) as server:
        yield server


@pytest.fixture
def polyloom(commands: Commands, tmp_path: Path) -> Callable[..., Done]:
    """Runs ``polyloom ARGS`` in a scratch folder."""

    def run(*args: object, env: dict[str, str] | None = None, timeout: float = 300) -> Done:
        home = {"POLYLOOM_HOME": str(ROOT)}
        return commands.run(tmp_path, *args, seconds=timeout, **{**os.environ, **home, **(env or {})})

    return run


def read_values(path: Path) -> dict[int, float]:
    """Values by vertex of a file that --out wrote; vertices go by their numbers in the graph's file."""
    return {int(name): float(value) for name, value in read_named(path).items()}


def read_named(path: Path) -> dict[str, str]:
    """The same as text, for vertices of any names."""
    with path.open(newline="", errors="surrogateescape") as file:
        rows = list(csv.DictReader(file))
    values = {row["vertex"]: row["value"] for row in rows}
    assert len(values) == len(rows), "two rows of one name"
    return values
