# SPDX-License-Identifier: Apache-2.0
# Covers: bytes, tags, lines in parts, lines that never end, a reader that has gone.
# Leaves out: whose output it is (test_launch.py).
from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyloom.base.folder import RunFolder
from polyloom.base.progress import Progress
from polyloom.mpirun.output import Output

Make = Callable[[bool], Output]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    with RunFolder(tmp_path / "run") as folder:
        yield lambda tag: Output(folder, tag, 12, Progress("job"))


def shown(capsysbinary: pytest.CaptureFixture[bytes]) -> bytes:
    return capsysbinary.readouterr().out


def test_bytes_stay(make: Make, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    output = make(False)
    print("ours")
    output.write(3, "stdout", b"\xff\r\n")
    assert shown(capsysbinary) == b"ours\n\xff\r\n"
    output.close()
    assert (tmp_path / "run" / "logs" / "rank-3.log").read_bytes() == b"\xff\r\n"


def test_parts_of_lines_are_shown_as_lines(
    make: Make, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    output = make(True)
    output.write(1, "stdout", b"a ")
    output.write(10, "stdout", b"x\nz")
    output.write(1, "stdout", b"b")
    assert (tmp_path / "run" / "logs" / "rank-1.log").read_bytes() == b"a b", "the log has them at once"
    output.write(1, "stdout", b" c\n\nd\x0be\n")
    assert shown(capsysbinary) == b"[10] x\n[ 1] a b c\n[ 1] \n[ 1] d\x0be\n"
    output.close()
    assert shown(capsysbinary) == b"[10] z\n"
    assert not output.inside_line, "a tagged line ends"


def test_a_last_line_without_a_newline(make: Make, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    output = make(False)
    output.write(0, "stdout", b"whole\n")
    output.write(0, "stderr", b"error")
    output.close()
    assert not output.inside_line
    output = make(False)
    output.write(0, "stdout", b"part")
    output.close()
    assert output.inside_line
    assert shown(capsysbinary) == b"whole\npart"


def test_what_our_library_said_is_known(make: Make) -> None:
    output = make(True)
    output.write(0, "stderr", b"polyloom: rank 0: caf\xe9\n")
    assert output.reported == {"rank 0: caf\N{REPLACEMENT CHARACTER}"}
    output.close()


def test_the_job_goes_on_when_nothing_reads(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(full))
        output = make(False)
        for _ in range(2):
            output.write(0, "stdout", b"line\n")
        output.close()
        monkeypatch.undo()
    assert output.lost is not None
    assert (tmp_path / "run" / "logs" / "rank-0.log").read_bytes() == b"line\n" * 2
