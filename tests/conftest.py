# SPDX-License-Identifier: Apache-2.0
"""Shared by the end-to-end tests: running the polyloom command as a user would."""

from __future__ import annotations

import csv
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_server import Done

ROOT = Path(__file__).resolve().parent.parent
POLYLOOM = ROOT / ".venv" / "bin" / "polyloom"


@pytest.fixture
def polyloom(tmp_path: Path) -> Callable[..., Done]:
    """Runs ``polyloom ARGS`` in a scratch folder."""

    def run(*args: object, env: dict[str, str] | None = None, timeout: float = 300) -> Done:
        process = subprocess.run(
            [str(POLYLOOM), *map(str, args)],
            cwd=tmp_path,
            env={**os.environ, "POLYLOOM_HOME": str(ROOT), **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Done(process.returncode, process.stdout, process.stderr)

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
