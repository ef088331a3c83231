# SPDX-License-Identifier: Apache-2.0
# Covers: when the program of CPU ranks is compiled again: not for the same text, but for another of any header.
# Leaves out: what it does (tests/test_mpirun.py).
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polyloom.hls import toolchain
from polyloom.mpirun import cpu
from polyloom.transpile.program import Source


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """A program that ends with the status that a header of its own gives; it calls nothing of the library."""
    library = tmp_path / "lib" / "libnone.so"
    library.parent.mkdir()
    toolchain.run("clang", ["-shared", "-x", "c", "-", "-o", library], stdin="int none;")
    monkeypatch.setattr(cpu, "library_file", lambda: library)
    monkeypatch.setenv("POLYLOOM_KERNEL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.h").write_text("#define STATUS 3\n")
    source = tmp_path / "program.c"
    source.write_text('#include <mpi.h>\n#include "own.h"\nint main(void) { return STATUS + N; }\n')
    return Source((source,), ("-DN=4",))


def status(program: Path) -> int:
    return subprocess.run([program], check=False).returncode


def test_the_same_text_is_compiled_once(program: Source) -> None:
    first = cpu.compile_program(program, 2)
    made = first.stat()
    assert status(first) == 7
    again = cpu.compile_program(program, 2)
    assert again == first and again.stat().st_ino == made.st_ino


def test_a_header_of_the_program_or_a_flag_makes_another(program: Source, tmp_path: Path) -> None:
    first = cpu.compile_program(program, 2)
    (tmp_path / "own.h").write_text("#define STATUS 5\n")
    assert status(cpu.compile_program(program, 2)) == 9
    assert status(cpu.compile_program(Source(program.files, ("-DN=1",)), 2)) == 6
    assert status(first) == 7
