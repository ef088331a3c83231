# SPDX-License-Identifier: Apache-2.0
# Covers: every option and argument of every verb (as the parser lists them, so that none is forgotten) with values
#   that no one should give, and every file that a verb reads with contents that it should not have. Whatever happens,
#   all that is said on standard error of a failure is lines of "polyloom: ...", the status tells, no process hangs, and
#   nothing is left but whole records of runs and what was there before.
# Leaves out: options that applications add, damaged run records (test_damaged_records.py).
from __future__ import annotations

import json
import os
import random
import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from command_server import INTERRUPTED, Commands, Done
from conftest import ROOT

from polyloom.cli import main as cli
from polyloom.testing import FULL, daily

#: Options that are tried daily, values of each, and contents of each file; a long test tries all.
SAMPLE_OPTIONS, SAMPLE, SAMPLE_CONTENTS = 22, 2, 4
#: Work that a hostile number makes long gets a Ctrl-C after so many seconds, and ends in good order.
SECONDS = 4.0

MPI = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n"
GRAPH = "0 1\n1 2\n2 0\n"
SWEEP = 'app = "bfs"\non = "native"\n[options]\ngraph = "graph.txt"\nsource = ["0", "1"]\n'

#: A command line of each verb that works, small; {file} stands for a file of good contents.
VERBS: dict[str, list[list[str]]] = {
    "run": [
        ["run", "pagerank", "--graph", "graph.txt", "--on", "native"],
        ["run", "sssp", "--graph", "graph.txt", "--on", "sim", "--cluster", "tiny-1"],
        ["run", "sort", "--keys", "100", "--on", "native"],
        ["run", "dpd", "--side", "3", "--steps", "2", "--on", "native"],
    ],
    "new": [["new", "mine"]],
    "collective": [["collective", "all-reduce", "--bytes", "64", "--on", "sim"]],
    "mpirun": [["mpirun", "--on", "native", "-n", "2", "good.c"]],
    "nbody": [["nbody", "--n", "16", "--steps", "1"]],
    "report": [["report", "nowhere"]],
    "isa-test": [["isa-test", "--elf", "bad.elf"]],
    "synth": [["synth", "polyloom_skid"]],
    "sweep": [["sweep", "sweep.toml"]],
    "compare": [["compare", "nowhere", "nowhere"]],
    "clean": [["clean", "--dry-run"]],
    "apps": [["apps"]],
    "doctor": [["doctor"]],
    "cluster show": [["cluster", "show", "tiny-1"]],
    "cluster list": [["cluster", "list"]],
}
VALUES = [
    "", " ", "-1", "0", "1e400", "nan", "-inf", "99999999999999999999999", "0x10", "1.5", "\udcff\udcfe", "a\nb", "💥",
    "x" * 5000, "%s%n{0}", "--", "-", "..", "/", "/dev/null", "/nonexistent/file", "../../etc/passwd", "graph.txt",
    "folder", "loop", "dangling", "a,b;c", "'\"", "*", "tiny-1", "serial", "threads:0", "rtl", "native", "sim",
]  # fmt: skip
COMPILER = re.compile(r"\b(error|warning|note): |^In file included|^\d+ (error|warning)")
#: What these would do is done by other tests, and long: building a board in RTL, synthesis with place and route.
LONG = {("run", "on", "rtl"), ("collective", "on", "rtl"), ("isa-test", "on", "rtl"), ("nbody", "on", "rtl")}


@dataclass(frozen=True)
class Option:
    """An option or argument of a verb."""

    verb: str
    name: str  # of its parameter
    flag: str  # empty: an argument


def verbs() -> dict[str, Any]:
    """Every verb with its parser."""
    found = {}
    for name, command in typer.main.get_command(cli.app).commands.items():  # type: ignore[attr-defined]
        parts = getattr(command, "commands", None)
        found |= {f"{name} {part}": parts[part] for part in parts} if parts else {name: command}
    return found


def options() -> list[Option]:
    """All that take a value."""
    found = []
    for verb, command in verbs().items():
        for parameter in command.params:
            if not getattr(parameter, "is_flag", False) and parameter.name != "help":
                flag = max((name for name in parameter.opts if name.startswith("-")), key=len, default="")
                found.append(Option(verb, parameter.name, flag))
    return found


OPTIONS = options()


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    with Commands({"POLYLOOM_HOME": str(ROOT), "POLYLOOM_ENGINE": "serial"}) as server:
        yield server


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with files good and bad; its temporary files lie beside it."""
    folder = tmp_path / "work"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "tmp").mkdir()
    (folder / "graph.txt").write_text(GRAPH)
    (folder / "good.c").write_text(MPI)
    (folder / "sweep.toml").write_text(SWEEP)
    (folder / "bad.elf").write_bytes(b"\x7fELF" + bytes(60))
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")
    return folder


def tree(folder: Path) -> dict[str, bytes | None]:
    """All that lies in it, with contents."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in sorted(folder.rglob("*"))
    }


def look(result: Done, words: list[str], place: Path, before: dict[str, bytes | None]) -> None:
    """What must hold after every command."""
    about = f"polyloom {' '.join(map(repr, words))}: status {result.status}\n{result.out}\n{result.err}"
    assert "Traceback" not in result.out + result.err and "internal error" not in result.err, about
    assert result.status in {0, 1, 2, INTERRUPTED}, about
    if result.status in {1, 2}:
        said = [line for line in result.err.splitlines() if line]
        compiles = words[0] in {"mpirun", "synth"}  # a compiler's own lines follow
        rest = [line for line in said[1:] if not (compiles and COMPILER.search(line))]
        assert said and all(line.startswith("polyloom: ") for line in [said[0], *rest]), about
    after = tree(place)
    assert {name: after.get(name) for name in before} == before, f"{about}\na file was changed"
    fresh = {name for name in after if name not in before}
    records = {str(Path(name).parent) for name in fresh if Path(name).name == "run.json"}
    for record in records:
        json.loads((place / record / "run.json").read_text())
    allowed = {*records, *(str(parent) for record in records for parent in Path(record).parents)}
    left = {name for name in fresh if name not in allowed and not any(name.startswith(f"{r}/") for r in records)}
    assert not left or result.status == 0, f"{about}\nleft: {sorted(left)}"
    assert not list((place.parent / "tmp").glob("polyloom-*")), f"{about}\ntemporary files are left"


def tried(commands: Commands, place: Path, words: list[str]) -> Done:
    before = tree(place)
    result = commands.run(place, *words, seconds=SECONDS, TMPDIR=str(place.parent / "tmp"))
    look(result, words, place, before)
    for path in sorted(place.rglob("*"), reverse=True):  # the next one finds what this one found
        if str(path.relative_to(place)) not in before:
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    return result


def test_no_verb_is_forgotten() -> None:
    assert set(VERBS) == set(verbs())


@pytest.mark.parametrize("option", daily(OPTIONS, SAMPLE_OPTIONS), ids=lambda o: f"{o.verb}-{o.name}")
def test_values_that_make_no_sense(option: Option, commands: Commands, place: Path) -> None:
    draw = random.Random(f"{option}")
    for base in daily(VERBS[option.verb], 1):
        for value in VALUES if FULL else draw.sample(VALUES, SAMPLE):
            if (option.verb, option.name, value) in LONG or (option.name == "part" and value == ""):
                continue
            if option.flag:
                words = [*base, option.flag, value]
                if value == "" and draw.random() < 0.3:
                    words.pop()  # an option without its value
            else:
                words = [*base[: len(option.verb.split())], value]
            if option.flag == "" or option.verb == "mpirun":  # options stand before the program
                words = [*base[: len(option.verb.split())], *words[len(base) :], *base[len(option.verb.split()) :]]
            tried(commands, place, words)


@pytest.mark.parametrize("verb", VERBS)
def test_words_that_no_verb_knows(verb: str, commands: Commands, place: Path) -> None:
    for base in daily(VERBS[verb], 1):
        for word in ("--no-such-option", "--json=no", "-Z", "\udcff"):
            if verb == "mpirun" and word == "\udcff":
                continue  # the program's own argument
            words = [*base[: len(verb.split())], word, *base[len(verb.split()) :]]
            assert tried(commands, place, words).status != 0, words


def contents() -> dict[str, bytes]:
    """Bytes that a reader of any format may meet."""
    noise = random.Random(1).randbytes(3000)
    return {
        "empty": b"",
        "noise": noise,
        "zeros": bytes(4096),
        "one-line": b"1" * 100_000,
        "many-lines": b"\n" * 10_000,
        "latin-1": b"gr\xfc\xdfe = 1\n",
        "utf-16": "0 1\n".encode("utf-16"),
        "zip": b"PK\x03\x04" + noise,
        "gzip": b"\x1f\x8b\x08" + noise,
        "elf": b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HHIIII", 2, 243, 1, 0, 0xFFFFFFF0, 0xFFFFFFF0) + noise,
        "npy": b"\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }\n" + noise,
        "json": b'{"nodes": [[[[', "deep": b"[" * 100_000, "toml": b"[a\nb=",
        "matrix": b"%%MatrixMarket matrix coordinate real general\n4294967295 4294967295 9\n1 1 1\n",
        "ids": b"-5 99999999999999999999 x\n",
        "c": b'#include "/dev/zero"\nint main(',
    }  # fmt: skip


READERS: dict[str, tuple[str, list[str]]] = {
    "graph": (".txt", ["run", "sssp", "--on", "native", "--graph", "FILE"]),
    "matrix": (".mtx", ["run", "sssp", "--on", "native", "--graph", "FILE"]),
    "values": (".npy", ["run", "sort", "--on", "native", "--in", "FILE"]),
    "cluster": (".toml", ["run", "pagerank", "--graph", "graph.txt", "--on", "sim", "--cluster", "FILE"]),
    "job-cluster": (".json", ["mpirun", "--cluster", "FILE", "good.c"]),
    "shown": (".toml", ["cluster", "show", "FILE"]),
    "program": (".c", ["mpirun", "--on", "native", "-n", "2", "FILE"]),
    "bodies": (".npz", ["nbody", "--steps", "1", "--from", "FILE"]),
    "elf": (".elf", ["isa-test", "--elf", "FILE"]),
    "record": ("/run.json", ["report", "FILE"]),
    "resumed": ("/run.json", ["nbody", "--resume", "FILE"]),
    "compared": ("/run.json", ["compare", "FILE", "FILE"]),
    "swept": (".toml", ["sweep", "FILE"]),
    "swept-into": ("/run.json", ["sweep", "sweep.toml", "--folder", "FILE"]),
    "synthesized": (".c", ["synth", "FILE"]),
}


@pytest.mark.parametrize("kind", READERS)
def test_contents_that_no_file_should_have(kind: str, commands: Commands, place: Path) -> None:
    suffix, words = READERS[kind]
    for name, content in daily(list(contents().items()), SAMPLE_CONTENTS):
        file = place / f"given{suffix}"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        given = file.parent if suffix.startswith("/") else file
        result = tried(commands, place, [str(given) if word == "FILE" else word for word in words])
        if kind != "graph" and not (kind == "values" and name == "x"):
            assert result.status != 0, (kind, name, result.out)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in {"report", "compare", "isa-test", "mpirun"}])
def test_a_result_that_cannot_be_written_is_told(verb: str, place: Path) -> None:
    """Standard output on a full device."""
    if verb == "synth":
        pytest.skip("long")
    with Path("/dev/full").open("w") as full:
        environment = {**os.environ, "POLYLOOM_HOME": str(ROOT), "TMPDIR": str(place.parent / "tmp")}
        command = [str(ROOT / ".venv/bin/polyloom"), *VERBS[verb][0]]
        done = subprocess.run(command, cwd=place, env=environment, stdout=full, stderr=subprocess.PIPE, timeout=60)
    said = done.stderr.decode().splitlines()
    assert done.returncode == 1, said
    assert said and all(line.startswith("polyloom: ") for line in said) and "No space left" in said[-1], said
