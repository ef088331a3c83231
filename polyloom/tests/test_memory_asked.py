# SPDX-License-Identifier: Apache-2.0
# Covers: the estimate of memory, under an address space limit too; bodies, blocks of collectives and buffers past
# memory are refused before work begins, with both numbers. Leaves out: control groups (the test's own is as it is).
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from polyloom import memory
from polyloom.errors import UserError


def test_there_is_some() -> None:
    assert 1e6 < memory.there() < 1e15
    memory.require(1000, "little")
    with pytest.raises(UserError, match=r"^a big thing needs 36\.9 EB of memory; .* are there$"):
        memory.require(36.9e18, "a big thing")


def test_the_address_space_limit_counts() -> None:
    program = "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9)); "
    program += "from polyloom import memory; print(memory.there() < 10**9)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("nbody", "--n", "999999999999"), "a simulation of 999999999999 bodies"),
        (("collective", "all-reduce", "--cluster", "optweb-8x8", "--on", "native", "--bytes", "4G"), "all-reduce of"),
        (("collective", "all-to-all", "--cluster", "optweb-8x8", "--on", "native", "--bytes", "4G"), "all-to-all of"),
    ],
)
def test_what_memory_cannot_hold_is_refused_in_one_line(tmp_path: Path, words: tuple[str, ...], what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "polyloom", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("polyloom: ") and done.stderr.count("\n") == 1
    assert what in done.stderr and "of memory; " in done.stderr and done.stderr.endswith(" are there\n")
