# SPDX-License-Identifier: Apache-2.0
# Covers: what a killed process leaves goes, what is in use, is whole, or is somebody else's stays; --dry-run; sizes.
# Leaves out: other users' temporary folders (they cannot be removed anyway).
from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from polyloom.base import cache, process
from polyloom.base.folder import PARTIAL, RunFolder
from polyloom.cli import clean
from polyloom.cli import main as cli


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of our own: temporary files, caches, runs."""
    for name in ("tmp", "runs"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    for kept in cache.ALL:
        monkeypatch.setenv(kept.variable, str(tmp_path / kept.kind))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def left_by_a_dead_process(path: Path) -> Path:
    code = "from polyloom.base import process; print(process.owner(), end='')"
    owner = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    path.mkdir(parents=True)
    (path / process.OWNER).write_text(owner)
    (path / "file").write_bytes(b"x" * 5000)
    return path


def state(home: Path) -> set[str]:
    return {path.relative_to(home).as_posix() for path in home.rglob("*")}


def test_only_what_is_ours_and_left_goes(home: Path) -> None:
    gone = [left_by_a_dead_process(home / place) for place in ("tmp/polyloom-job-1", "rtl/polyloom-making-1")]
    with RunFolder(home / "runs" / "half") as run:
        run.claim(f"{PARTIAL}/").mkdir(exist_ok=True)
        (run.path / PARTIAL / "counters.csv").write_text("half")
        run.write("run.json", "{}")
    with RunFolder(home / "runs" / "dead") as run:
        run.write("logs/rank-0.log", "x")
    before = state(home)

    # What stays, with names as like ours as can be.
    (home / "tmp" / "polyloom-mine").mkdir()
    (home / "tmp" / "polyloom-thesis").mkdir()
    (home / "tmp" / "polyloom-thesis" / process.OWNER).write_text("me")
    (home / "tmp" / "polyloom-link").symlink_to(left_by_a_dead_process(home / "elsewhere"))
    with RunFolder(home / "runs" / "whole") as run:
        run.write("run.json", "{}")
    with RunFolder(home / "runs" / "noted") as run:
        run.write("counters.csv", "")
        (run.path / "notes").write_text("mine")
    (home / "runs" / "mine").mkdir()
    (home / "runs" / "mine" / "run.json").write_text("{}")
    kept = state(home) - before

    with process.scratch("job", home / "tmp") as used, RunFolder(home / "runs" / "running") as run:
        run.claim(f"{PARTIAL}/").mkdir(exist_ok=True)
        everything = state(home)
        foreseen = clean.clean([home / "runs"], dry_run=True)
        assert state(home) == everything
        removed = clean.clean([home / "runs"])
        assert removed == foreseen
        assert clean.clean([home / "runs"]) == []
        assert used.is_dir() and (run.path / PARTIAL).is_dir()
    paths = {item.path for item in removed}
    assert paths == {*gone, home / "runs" / "half" / PARTIAL, home / "runs" / "dead"}
    assert all(item.bytes > 5000 for item in removed if item.path in gone)
    assert kept <= state(home)
    assert not [path for path in paths if path.exists()]
    assert (home / "runs" / "half" / "run.json").exists()


def test_a_folder_that_goes_meanwhile_is_no_fault(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = home / "tmp" / "polyloom-gone"
    left = left_by_a_dead_process(home / "tmp" / "polyloom-left")
    monkeypatch.setattr(clean, "_folders", lambda place: [gone, left] if place == home / "tmp" else [])
    assert [item.path for item in clean._temporary(home / "tmp", dry_run=True)] == [left]


def test_caches_go_when_asked_for(home: Path) -> None:
    with cache.KERNELS.making("a") as fresh:
        (fresh / "thing").write_bytes(b"x" * 3000)
    (home / "kernels" / "mine").mkdir()
    run = CliRunner().invoke(cli.app, ["clean"])
    assert run.output == "nothing removed\n" and (home / "kernels" / "a").is_dir()
    run = CliRunner().invoke(cli.app, ["clean", "--caches", "--dry-run"])
    assert run.output.splitlines()[-1] == "2.9 KiB to remove" and (home / "kernels" / "a").is_dir()
    run = CliRunner().invoke(cli.app, ["clean", "--caches"])
    assert run.output.splitlines() == [
        f"  2.9 KiB  {home / 'kernels' / 'a'}: entry of the cache kernels",
        "2.9 KiB removed",
    ]
    assert [path.name for path in (home / "kernels").iterdir() if not path.name.startswith(".")] == ["mine"]
