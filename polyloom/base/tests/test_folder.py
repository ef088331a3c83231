# SPDX-License-Identifier: Apache-2.0
# Covers: whose a folder is, by its manifest; one run at a time; that launchers refuse before they start anything; files
# whole or not at all, whatever their names are. Leaves out: network file systems; runs that are killed while they make
# room (fabric/run/folder_test.cc).
from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from polyloom.base import files, folder, paths, process, record
from polyloom.base.errors import UserError
from polyloom.base.folder import MANIFEST, RunFolder
from polyloom.jobs import launch


def content(path: Path) -> dict[str, str]:
    return {p.relative_to(path).as_posix(): p.read_text() for p in path.rglob("*") if p.is_file()}


@pytest.fixture
def thesis(tmp_path: Path) -> Path:
    """A folder of somebody else's with a file whose name is one of ours."""
    path = tmp_path / "p"
    path.mkdir()
    (path / "run.json").write_text("{}")
    (path / "thesis.txt").write_text("precious")
    return path


def made(path: Path, *names: str) -> Path:
    with RunFolder(path) as run:
        for name in names:
            run.write(name, f"of {name}")
    return path


def test_a_folder_of_somebody_else_is_refused_whatever_its_files_are_called(thesis: Path) -> None:
    before = content(thesis)
    with pytest.raises(UserError, match="nothing was changed"):
        RunFolder(thesis)
    with pytest.raises(UserError):
        RunFolder(thesis, keep=True)
    with pytest.raises(UserError, match=r"run\.json"):
        folder.add(thesis, "run.json", "{}")
    assert content(thesis) == before


def test_a_run_is_refused_before_anything_starts(thesis: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(thesis)
    monkeypatch.setattr(paths, "python_apps", lambda: ["sort"])
    monkeypatch.setattr(process, "run_child", lambda *_, **__: pytest.fail("something was started"))
    with pytest.raises(UserError, match="nothing was changed"):
        launch.launch(launch.RunRequest("sort", [], on="native", run_dir=thesis))
    assert content(thesis) == before


def test_a_file_that_was_put_into_a_record_is_safe(tmp_path: Path) -> None:
    run = made(tmp_path / "run", "run.json", "logs/rank-0.log")
    for name in ("notes.txt", "logs/notes.txt", "empty/"):
        if name.endswith("/"):
            (run / name).mkdir()
        else:
            (run / name).write_text("mine")
        with pytest.raises(UserError, match=name.rstrip("/")):
            RunFolder(run)
        assert (run / "run.json").read_text() == "of run.json"
        if name.endswith("/"):
            (run / name).rmdir()
        else:
            (run / name).unlink()
    with RunFolder(run) as again:
        assert sorted(p.name for p in run.iterdir()) == [MANIFEST, folder.PREVIOUS]
        again.write("new", "")
    assert sorted(p.name for p in run.iterdir()) == [MANIFEST, "new"]


def test_only_what_the_manifest_names_goes(tmp_path: Path) -> None:
    run = made(tmp_path / "run", "run.json", "trace.json")
    made(run, "run.json")
    assert not (run / "trace.json").exists()
    (run / "trace.json").write_text("another program's, of a name that we do not use any more")
    with pytest.raises(UserError, match=r"trace\.json"):
        RunFolder(run)


def test_a_manifest_that_was_tampered_with_reaches_nothing_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("precious")
    run = made(tmp_path / "run", "run.json")
    with (run / MANIFEST).open("a") as manifest:
        manifest.write(f"../outside/file\n{outside / 'file'}\nlink/file\nlinked/\n.partial/\n")
    (run / ".partial").symlink_to(outside)
    with pytest.raises(UserError):
        RunFolder(run)
    (run / ".partial").rename(run / "link")
    with pytest.raises(UserError, match="link"):
        RunFolder(run)
    previous = made(run / folder.PREVIOUS, "run.json")
    (previous / MANIFEST).write_text((run / MANIFEST).read_text())
    (previous / "link").symlink_to(outside)
    with RunFolder(run, keep=True) as kept:
        kept.give_up()  # removes what the manifest names, and moves what that of the record in it names
    assert content(outside) == {"file": "precious"} and (run / "run.json").exists()


def test_records_in_records_go_with_them_but_nothing_else(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as run:
        made(run.claim("cluster/"), "run.json", "counters.csv")
    (tmp_path / "run" / "cluster" / "notes").write_text("mine")
    with pytest.raises(UserError, match="cluster/notes"):
        RunFolder(tmp_path / "run")
    (tmp_path / "run" / "cluster" / "notes").unlink()
    with RunFolder(tmp_path / "run") as run:
        run.write("new", "")
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == [MANIFEST, "new"]


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as first:
        with pytest.raises(UserError, match="another run is using this folder"):
            RunFolder(tmp_path / "run")
        with pytest.raises(UserError, match="another run"):
            folder.add(tmp_path / "run", "result.json", "{}")
        pytest.MonkeyPatch().setenv(*next(iter(first.env.items())))
        try:
            folder.add(tmp_path / "run", "result.json", "{}")  # what the run itself has started
        finally:
            os.environ.pop(next(iter(first.env)))
    assert (tmp_path / "run" / "result.json").exists()
    folder.add(tmp_path / "run", "result.json", "[]")
    assert (tmp_path / "run" / "result.json").read_text() == "[]"


def test_a_folder_in_which_nothing_came_to_be_is_as_before(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        with RunFolder(tmp_path / name):
            assert (tmp_path / name / MANIFEST).exists()
    with record.open_folder(None, tmp_path / "runs", "app", "sim") as run:
        assert run.path.parent == tmp_path / "runs"
    assert content(tmp_path) == {}
    assert not (tmp_path / "new").exists() and (tmp_path / "empty").is_dir() and not (tmp_path / "runs").exists()


def test_what_failed_before_it_had_a_record_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    for name in ("new", "kept"):
        with pytest.raises(UserError), RunFolder(tmp_path / name) as run:
            run.write("energy.csv", "half of it")
            raise UserError("refused")
    assert content(tmp_path) == {} and (tmp_path / "kept").is_dir() and not (tmp_path / "new").exists()
    with pytest.raises(UserError), RunFolder(tmp_path / "whole") as run:
        run.write("run.json", "{}")
        raise UserError("failed on the way")
    assert (tmp_path / "whole" / "run.json").exists()


def test_a_run_that_gives_up_leaves_the_record_that_was_there(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as run:
        for name in ("run.json", "logs/rank-0.log", "logs/deep/file"):
            run.write(name, f"of {name}")
        made(run.claim("cluster/"), "run.json", "counters.csv")
    before, names = content(tmp_path), folder.names_of(tmp_path / "run")
    with pytest.raises(UserError), RunFolder(tmp_path / "run") as run:
        assert not run.has_begun and not (run.path / "run.json").exists()
        run.write("energy.csv", "half of it")
        run.write("logs/rank-0.log", "of another run")
        assert run.has_begun
        raise UserError("refused")
    assert content(tmp_path) == before | {f"run/{MANIFEST}": (tmp_path / "run" / MANIFEST).read_text()}
    assert folder.names_of(tmp_path / "run") == names
    with RunFolder(tmp_path / "run") as run:
        run.write("run.json", "of another run")
    assert content(tmp_path / "run") == {
        MANIFEST: folder.FIRST_LINE + ".previous/\nrun.json\n",
        "run.json": "of another run",
    }
    made(tmp_path / "run", "run.json")


def test_what_a_killed_run_left_is_replaced(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as run:
        run.claim(".partial/").mkdir(exist_ok=True)
        (run.path / ".partial" / "counters.csv").write_text("half")
        run.claim("result.json")
        (run.path / ".result.json.partial-1-0").write_text("half")
    made(tmp_path / "run", "run.json")
    assert sorted(content(tmp_path / "run")) == [MANIFEST, "run.json"]


@pytest.mark.parametrize("kind", ["file", "below a file"])
def test_what_is_no_folder_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="run record"):
        RunFolder(tmp_path / "file" if kind == "file" else tmp_path / "file" / "run")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("earlier")
    (tmp_path / "out.csv.partial").write_text("somebody else's")
    with pytest.raises(ZeroDivisionError), files.whole(out) as file:
        file.write("half")
        raise ZeroDivisionError
    assert out.read_text() == "earlier"
    out.chmod(0o640)
    (tmp_path / "link.csv").symlink_to("out.csv")
    files.write(tmp_path / "link.csv", "whole")
    assert (tmp_path / "link.csv").is_symlink() and out.read_text() == "whole"
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(UserError, match="cannot write /dev/full: No space left"):
        files.write(Path("/dev/full"), "x")
    with pytest.raises(UserError, match="no/file"):
        files.write(tmp_path / "no" / "file", "x")


@pytest.mark.parametrize("name", [b"x" * 255, "\u00e4".encode() * 127, b"\xff\xfe", b"a\nb", b".hidden"])
def test_every_name_that_the_system_allows_is_written(tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    for text in ("first", "\u00e9\n"):
        files.write(path, text)
    assert [os.fsencode(entry.name) for entry in tmp_path.iterdir()] == [name]
    assert path.read_bytes() == b"\xc3\xa9\n"
    with pytest.raises(UserError, match=re.escape(f'run record "{path}"')):
        RunFolder(path)
    path.unlink()
    with RunFolder(path) as run:
        run.write("run.json", "{}")
    assert folder.names_of(path) == {"run.json"}


def test_links_are_followed_to_where_a_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "a").symlink_to("there/b")
    (tmp_path / "there" / "b").symlink_to("c")
    files.write(tmp_path / "a", "new")
    assert (tmp_path / "there" / "c").read_text() == "new" and (tmp_path / "there" / "b").is_symlink()
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(UserError, match="round: Too many levels of symbolic links"):
        files.write(tmp_path / "round", "x")


@pytest.mark.parametrize("mode", ["w", "wb"])
def test_a_pipe_that_has_no_name_but_a_link_is_written(mode: str) -> None:
    text = "'x' * 100_000" if mode == "w" else "b'x' * 100_000"
    code = "from pathlib import Path; from polyloom.base import files\n"
    code += f"with files.whole(Path('/dev/stdout'), '{mode}') as file: file.write({text})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("x" * 100_000, "")


def test_without_a_built_tree_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where a file is to be written: looking for the module costs a program that writes none nothing."""
    folder.add(tmp_path / "run", "run.json", "{}")
    monkeypatch.setenv("POLYLOOM_BUILD", str(tmp_path / "nothing"))
    code = "import sys, polyloom.cli.main; print([name for name in sys.modules if name.startswith('_polyloom')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"
    for words in (["clean", "--dry-run", str(tmp_path)], ["report", str(tmp_path / "run")]):
        ended = subprocess.run([sys.executable, "-m", "polyloom", *words], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.count("\n") == 1 and "make build" in ended.stderr, ended.stderr
