# SPDX-License-Identifier: Apache-2.0
# Covers: the estimate of memory, under an address space limit too; bodies, blocks of collectives and buffers past
# memory are refused before work begins, with both numbers. Leaves out: control groups (the test's own is as it is).
from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from polyloom.base import memory
from polyloom.base.errors import UserError


def test_there_is_some() -> None:
    assert 1e6 < memory.there() < 1e15
    memory.require(1000, "little")
    with pytest.raises(UserError, match=r"^a big thing needs 36\.9 EB of memory; .* are there$"):
        memory.require(36.9e18, "a big thing")


def test_the_address_space_limit_counts() -> None:
    program = "import resource; resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9)); "
    program += "from polyloom.base import memory; print(memory.there() < 10**9)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("nbody", "--n", "999999999999"), "a simulation of 999999999999 bodies"),
        (("nbody", "--from", "bodies.npz"), "a simulation of bodies.npz needs "),
        (("run", "sort", "--keys", "10000000000", "--on", "native"), "a sort of 80000000000 records needs 4.8 TB"),
        (
            ("run", "sort", "--keys", "400000000", "--on", "native", "--verify"),
            "a sort of 3200000000 records needs 243",
        ),
        (("run", "sort", "--in", "records.npy", "--on", "native"), "a sort of records.npy needs "),
        (("collective", "all-reduce", "--cluster", "optweb-8x8", "--on", "native", "--bytes", "4G"), "all-reduce of"),
        (("collective", "all-to-all", "--cluster", "optweb-8x8", "--on", "native", "--bytes", "4G"), "all-to-all of"),
    ],
)
def test_what_memory_cannot_hold_is_refused_in_one_line(tmp_path: Path, words: tuple[str, ...], what: str) -> None:
    if "records.npy" in words or "bodies.npz" in words:
        _holes(tmp_path)
    done = subprocess.run(
        # What a native collective maps for its ranks is no memory yet, but address space.
        [
            *(["prlimit", "--as=8000000000"] if words[0] != "collective" else []),
            sys.executable,
            "-m",
            "polyloom",
            *words,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("polyloom: ") and done.stderr.count("\n") == 1
    assert what in done.stderr and "of memory; " in done.stderr and done.stderr.endswith(" are there\n")


def _holes(folder: Path) -> None:
    """Files of 64 GB of records and of 50 million bodies that take no room on the disk: their data are zeros."""
    with (folder / "records.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<u4", "fortran_order": False, "shape": (8 * 10**9, 2)})
        file.truncate(file.tell() + 64 * 10**9)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (5 * 10**7,)})
    archive = zipfile.ZipFile(folder / "bodies.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("mass.npy", "w") as member:
        member.write(header.getvalue())
        for _ in range(40):
            member.write(bytes(10**7))
