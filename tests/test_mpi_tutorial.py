# SPDX-License-Identifier: Apache-2.0
# Covers: docs/guides/mpi.md: its programs, saved under the name that their first line says, and its commands in order:
#         the output is what stands there, simulated times included.
# Leaves out: --on rtl (test_mpi_swap.py), what costs of loops the table says (polyloom/hls/tests/test_speed.py).
from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from mpi_jobs import ROOT

BLOCK = re.compile(r"^```(c|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_what_the_tutorial_says_is_what_comes(tmp_path: Path) -> None:
    path = f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}"
    seen = 0
    for kind, text in BLOCK.findall((ROOT / "docs" / "guides" / "mpi.md").read_text()):
        if kind == "c":
            name = re.match(r"/\* (\w+\.c): ", text)
            assert name is not None, text
            (tmp_path / name[1]).write_text(text)
            continue
        for part in text.removeprefix("$ ").split("\n$ "):
            command, _, expected = part.partition("\n")
            done = subprocess.run(
                command, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True,
                timeout=120, check=False,
            )  # fmt: skip
            assert done.stdout.rstrip("\n") == expected.rstrip("\n"), f"{command}\n{done.stdout}{done.stderr}"
            seen += 1
    assert seen > 5
