# SPDX-License-Identifier: Apache-2.0
# Covers: the page of a record with a file cut anywhere, gone, binary, of another type, nested without end, and with each
# value replaced or removed: one line that names the file, or a page. Leaves out: numbers (tests/test_report.py).
from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from polyloom.base import folder as run_folder
from polyloom.base import record
from polyloom.base.errors import UserError
from polyloom.report import page

LINK = {"a": {"node": "fpga.0.0"}, "b": {"node": "fpga.1.0"}, "to_host": False, "rate_bps": 1e9}
FILES: dict[str, Any] = {
    "run.json": {
        "status": "finished",
        "cluster": {"name": "two", "topology": "mesh 2 1"},
        "simulated_seconds": 0.002,
        "phases": {"load_seconds": 0.001, "compute_seconds": 0.001},
        "wall_seconds": 1.5,
        "engine": "serial",
    },
    "result.json": {
        "app": "pagerank",
        "mode": "sync",
        "compute_simulated_seconds": 0.001,
        "vertices": 3,
        "damping": 0.85,
        "top": [{"name": "a", "vertex": 0, "value": 0.5}],
    },
    "mapping.json": {
        "cores": {
            "fpga.0.0.tile.0.core.0": {
                "busiest_thread_instructions": 61.0,
                "heaviest_vertex": "a",
                "heaviest_vertex_instructions": 60.5,
                "instructions": 70.0,
            }
        }
    },
    "cluster.json": {
        "roles": {"overlay": [{"line_bytes": 64}]},
        "nodes": [{"name": f"fpga.{x}.0", "role": "overlay", "table": 0} for x in range(2)]
        + [{"name": "host", "kind": "host"}] * 3,
        "links": [LINK, {"to_host": True}],
    },
    "counters.csv": "name,value\nfpga.0.0.tile.0.core.0.instret,100\nfpga.0.0.tile.0.core.0.idle_cycles,300\n"
    "fpga.1.0.tile.0.core.0.instret,50\nfpga.0.0.dram.0.reads,7\nlink.fpga.0.0->fpga.1.0.bits,640\n",
    "supersteps.csv": "board,step,end_ps,voted,instructions_in_step,message_hops_in_step\n"
    "fpga.0.0,0,1000,0,10,1\nfpga.0.0,1,2000,0,20,2\nfpga.0.0,2,3000,1,30,3\n",
    "mpi_ranks.csv": "rank,fpga,begin_ps,end_ps,waited_ps,dram_ps,commands,kept,sent,sent_bytes,received,received_bytes\n"
    "0,0,0,90000,9000,0,2,1,1,8,0,0\n1,1,10,90,40,5,1,1,0,0,1,8\n",
    "mpi_waits.csv": "rank,call,sends,peer,count,ps\n0,MPI_Send,1,1,1,3\n1,MPI_Recv,0,0,1,40\n",
    "mpi_calls.csv": "rank,begin_ps,end_ps,call,kind,sends,peer,comm,handle,bytes,done,tag\n"
    "0,40,43,MPI_Send,both,1,1,0,0,8,1,0\n1,10,50,MPI_Recv,both,0,0,0,0,8,1,0\n",
    "mpi_lines.csv": "file,line,computes,engine,dram,shared\na.c,3,10,40,5,0\n",
    "profile.csv": "board,tile,pair,address,count\nfpga.0.0,0,0,64,12\n",
}
VALUES: tuple[Any, ...] = (None, True, -1, 0, 10**400, 1e308, "", "many", [], [1], {}, {"x": 1}, "\ud800", float("nan"))


def text_of(content: Any) -> bytes:
    return (content if isinstance(content, str) else json.dumps(content)).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(text_of(content))
    manifest = "".join(f"{name}\n" for name in [*FILES, "report.html"])
    (tmp_path / run_folder.MANIFEST).write_text(run_folder.FIRST_LINE + manifest)
    return tmp_path


def attempt(folder: Path) -> str:
    """The page, or the one line that a person reads."""
    try:
        return page.write(record.read(folder)).read_text()
    except UserError as error:
        text = str(error)
        assert str(folder) in text
        assert "\n" not in text
        assert len(text) < len(str(folder)) + 250
        return text


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def test_whole_record(folder: Path) -> None:
    text = attempt(folder)
    assert "448 kB/s" in text  # 7 lines of 64 bytes in a millisecond of computing
    assert "Compute time (simulated)</td><td class=n>1 ms" in text


def test_a_table_that_was_cut_says_so(folder: Path) -> None:
    assert "3 barriers" in attempt(folder)
    (folder / "counters.csv").write_text(f"{FILES['counters.csv']}fpga.0.0.barriers,1234567\n")
    assert "The first 3 of 1,234,567 barriers" in attempt(folder)


@pytest.mark.parametrize("name", FILES)
def test_cut_anywhere(folder: Path, name: str) -> None:
    whole = text_of(FILES[name])
    for length in range(len(whole)):
        (folder / name).write_bytes(whole[:length])
        said = attempt(folder)
        if name.endswith(".json"):
            assert name in said


@pytest.mark.parametrize("name", FILES)
def test_something_else_in_its_place(folder: Path, name: str) -> None:
    rng = random.Random(1)
    bombs = [b"[" * 200_000, b'{"a":' * 200_000, b'{"a": ' + b"9" * 10_000 + b"}", b"\x00" * 100, b'"' * 1001]
    tables = [b"name,value\n", b"name\nx\n", b"value\n1\n", b"board,step,end_ps\na,b,c\n", b'a,"' + b"x" * 200_000]
    noise = [rng.randbytes(size) for size in (1, 10, 1000, 100_000)]
    for content in (
        *bombs,
        *tables,
        *noise,
        b"",
        b"\n",
        b"null",
        b"[]",
        b"3",
        b'"text"',
        text_of(FILES["profile.csv"]),
    ):
        (folder / name).write_bytes(content)
        attempt(folder)
    (folder / name).unlink()
    attempt(folder)
    (folder / name).mkdir()
    assert name in attempt(folder)


@pytest.mark.parametrize("name", ["run.json", "result.json", "cluster.json"])
def test_other_values(folder: Path, name: str) -> None:
    for path in places(FILES[name]):
        for value in (*VALUES, "gone"):
            content = copy.deepcopy(FILES[name])
            inner = content
            for key in path[:-1]:
                inner = inner[key]
            if value == "gone":
                del inner[path[-1]]
            else:
                inner[path[-1]] = value
            (folder / name).write_text(json.dumps(content))
            attempt(folder)


@pytest.mark.parametrize("name", ["counters.csv", "supersteps.csv", "profile.csv"])
@pytest.mark.parametrize("cell", ["", "-5", "1e3", "9" * 30, "9" * 5000, "x", "1,2", '"', "\x00", "\ud7ff"])
def test_other_cells(folder: Path, name: str, cell: str) -> None:
    lines = str(FILES[name]).splitlines()
    for row in range(len(lines)):
        for column in range(lines[row].count(",") + 1):
            cells = lines[row].split(",")
            cells[column] = cell
            damaged = [*lines[:row], ",".join(cells), *lines[row + 1 :]]
            (folder / name).write_text("\n".join(damaged), encoding="utf-8")
            attempt(folder)


def test_command_says_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from polyloom.cli import main as cli

    (folder / "run.json").write_bytes(b"[" * 200_000)
    monkeypatch.setattr("sys.argv", ["polyloom", "report", str(folder)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 1
    assert capsys.readouterr().err.splitlines() == [
        f"polyloom: {folder}/run.json: not a run record: JSON nested too deeply"
    ]
    assert CliRunner().invoke(cli.app, ["report", str(folder / "nothing")]).exit_code == 1
