# SPDX-License-Identifier: Apache-2.0
# Covers: which rooms there are, whose a file is, who uses whom, what a stage of make test says of tests that fail.
# Leaves out: the tests of the rooms themselves, and building.
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "scripts"))
import rooms
import stages


@pytest.mark.parametrize(
    ("wrong", "near"), [("blocks/streams", "blocks/stream"), ("fabrik/run", "fabric/run"), ("hub", "roles/hub")]
)
def test_a_room_that_is_not_there_is_refused(tmp_path: Path, wrong: str, near: str) -> None:
    command = [sys.executable, ROOT / "scripts" / "stages.py", tmp_path / "build", "1", "--room", wrong]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"test: there is no room {wrong}; near are: ") and near in done.stderr
    assert done.stderr.count("\n") == 1 and not (tmp_path / "build").exists()


@pytest.mark.parametrize(
    ("file", "room"),
    [
        ("fabric/run/folder.cc", "fabric/run"),
        ("roles/overlay/rtl/noc/noc.f", "roles/overlay"),
        ("blocks/stream/tests/stream_tb.sv", "blocks/stream"),
        ("tests/test_mpirun.py", "tests"),
        ("README.md", ""),
    ],
)
def test_a_file_is_of_the_room_around_its_parts(file: str, room: str) -> None:
    assert rooms.room_of(file) == room


def test_who_uses_whom() -> None:
    uses = set(rooms.users())
    assert ("blocks/reliable_link", "blocks/crc") in uses  # by an include
    assert ("polyloom/hls/testing", "polyloom/rtl") in uses  # by an import
    assert ("roles/hub", "blocks/operators") in uses  # by a file list
    assert ("blocks/crc", "blocks/reliable_link") not in uses
    assert not [pair for pair in uses if pair[0] == pair[1]]


def test_a_room_has_what_lies_below_it() -> None:
    assert "fabric/run/folder_test.cc" in rooms.files(["fabric/run"])
    assert not [name for name in rooms.files(["fabric/run"]) if not name.startswith("fabric/run/")]
    assert rooms.scripts(["blocks/stream"]) and set(rooms.scripts(["blocks/stream"])) < set(rooms.scripts([]))


def test_a_stage_counts_its_tests_and_names_what_failed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "test_some.py"
    file.write_text(
        "import pytest\ndef test_good(): pass\ndef test_bad(): assert 0\ndef test_not(): pytest.skip('no')\n"
    )
    stage = stages.python("some", tmp_path, 1, [str(file)])
    assert (stage.count, stage.skipped, len(stage.failed)) == (3, 1, 1)
    assert stage.failed[0].endswith("test_some.py::test_bad")
    assert "some" in capfd.readouterr().out.splitlines()[-1]
