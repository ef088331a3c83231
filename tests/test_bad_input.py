# SPDX-License-Identifier: Apache-2.0
# Covers: what the command says and returns for wrong graphs, clusters, options, limits and full disks, and that nothing
# half-written remains. Leaves out: each reader's own errors (polite/readers), device faults (compat/tinsel/tests).
from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import POLYLOOM, ROOT, Done, read_values

Polyloom = Callable[..., Done]


def refused(done: Done, *words: str) -> None:
    """One line on standard error with all the words; non-zero status; no traceback."""
    assert done.status != 0
    lines = [line for line in done.err.splitlines() if line.strip()]
    assert lines, "no message"
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err, f"{word!r} not in {done.err!r}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 1\n1 x\n", ("graph.txt:2", "x")),
        ("0 1\n-1 2\n", ("graph.txt:2",)),
        ("0 1\n2\n", ("graph.txt:2",)),
        ("0 99999999999\n-3 99999999999\n", ("graph.txt:2", "-3")),
    ],
)
def test_malformed_graph(polyloom: Polyloom, tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    (tmp_path / "graph.txt").write_text(text)
    refused(polyloom("run", "pagerank", "--on", "native", "--graph", "graph.txt"), *words)


def test_missing_graph(polyloom: Polyloom) -> None:
    refused(polyloom("run", "pagerank", "--on", "native", "--graph", "nowhere.txt"), "nowhere.txt")


def test_source_out_of_range(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("0 1\n")
    done = polyloom("run", "sssp", "--on", "native", "--graph", "graph.txt", "--source", 2)
    refused(done, "--source 2", "graph.txt", "numbers from 0 to 1")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "mesh"', 'kind = "mash"', ("mash", "mesh")),
        ("tiles_x = 2", "tiles_q = 2", ("tiles_q",)),
        ('latency = "780 ns"', 'latency = "780 parsecs"', ("780 parsecs",)),
        ("size = [2, 1]", "size = [0, 1]", ("size",)),
    ],
)
def test_malformed_cluster(polyloom: Polyloom, tmp_path: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    text = (ROOT / "clusters" / "laptop.toml").read_text()
    assert old in text
    changed = text.replace(old, new)
    line = 1 + changed[: changed.index(new)].count("\n")
    (tmp_path / "bad.toml").write_text(changed)
    refused(polyloom("cluster", "show", "bad.toml"), f"bad.toml:{line}", *words)


def test_unknown_cluster_and_app(polyloom: Polyloom) -> None:
    refused(polyloom("run", "pagerank", "--cluster", "desktop", "--generate", "grid:2:2"), "desktop", "laptop")
    refused(polyloom("run", "pagrank"), "pagrank", "pagerank")
    refused(polyloom("run", "pagerank", "--on", "board", "--generate", "grid:2:2"), "board", "native")


def test_graph_that_does_not_fit(polyloom: Polyloom, tmp_path: Path) -> None:
    # 16-bit keys: without a combiner no vertex can have 70,000 in-edges from different senders.
    (tmp_path / "star.txt").write_text("".join(f"{i} 0\n" for i in range(1, 70001)))
    words = ("run", "pagerank", "--on", "sim", "--cluster", "laptop", "--graph", "star.txt")
    refused(
        polyloom(*words, "--mode", "gals"), "does not fit", "70000", "65534", "split", "a combiner in the vertex class"
    )
    refused(polyloom(*words, "--combine", "off"), "does not fit", "70000", "65534", "combiners (--combine auto or on)")


@pytest.mark.parametrize(
    ("app", "graph", "words"),
    [
        ("pagerank", "uniform:2147483648:2147483648", ("2147483648 vertices", "92.2 EB")),
        ("components", "kronecker:30:2147483648", ("1073741824 vertices", "EB")),
        ("sssp", "geometric:2147483648:2147483647", ("2147483648 vertices", "EB")),
        ("asp", "grid:2147483647:2", ("4294967294 vertices", "GB")),
    ],
)
def test_graph_past_memory(polyloom: Polyloom, app: str, graph: str, words: tuple[str, ...]) -> None:
    refused(polyloom("run", app, "--on", "native", "--generate", graph), *words, "of memory", "are there")


def test_memory_that_ends_on_the_way(tmp_path: Path) -> None:
    # A graph that passes the estimate (200 MB) and not the run: one line and a status all the same.
    command = f"ulimit -v 300000; exec {ROOT}/build/bin/app_components --generate uniform:1000:10000"
    env = {**os.environ, "POLYLOOM_ON": "native"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("polyloom: not enough memory: ")
    assert done.stderr.count("\n") == 1


def test_max_cycles_says_who_waits(polyloom: Polyloom) -> None:
    done = polyloom("run", "pagerank", "--generate", "grid:30:30", "--cluster", "laptop", "--max-cycles", 60000)
    refused(done, "fpga.0.0")


def test_out_of_space(polyloom: Polyloom, tmp_path: Path) -> None:
    done = polyloom("run", "pagerank", "--on", "native", "--generate", "grid:5:5", "--out", "/dev/full")
    refused(done, "/dev/full")
    done = polyloom("run", "pagerank", "--on", "native", "--generate", "grid:5:5", "--out", tmp_path / "no" / "x.csv")
    refused(done, "x.csv")
    assert not list(tmp_path.glob("**/*.partial*"))


def test_full_disk_while_writing_the_record(tmp_path: Path) -> None:
    env = {**os.environ, "POLYLOOM_HOME": str(ROOT)}
    command = f"ulimit -f 8; exec {POLYLOOM} run pagerank --generate kronecker:9:8 --cluster laptop"
    command += " --run-dir record --no-report"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode != 0
    assert "record" in done.stderr
    assert not [path for path in tmp_path.rglob("*") if "partial" in path.name]


def test_doctor_explains_a_machine_without_the_compiler(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("g++", "cmake", "ninja"):
        (tools / name).symlink_to(f"/usr/bin/{name}")
    done = subprocess.run(
        [str(POLYLOOM), "doctor"], env={"PATH": str(tools)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "apt-get install gcc-riscv64-unknown-elf" in done.stdout


def test_interrupt_leaves_no_process(tmp_path: Path) -> None:
    env = {**os.environ, "POLYLOOM_HOME": str(ROOT)}
    child = subprocess.Popen(
        [str(POLYLOOM), "run", "pagerank", "--generate", "grid:60:60", "--iterations", "60000", "--cluster", "laptop"],
        cwd=tmp_path,
        env=env,
        stderr=subprocess.PIPE,
    )
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(timeout=6)
    child.send_signal(2)
    assert child.wait(timeout=20) != 0
    marker = str(tmp_path)
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        try:
            assert not str(entry.readlink()).startswith(marker), f"process {entry.parent.name} is left"
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--out", "graph.txt"], "is the graph that is read"),
        (["--out", "linked.csv"], "is the graph that is read"),
        (["--out", "values.npz"], "written as CSV"),
        (["--out", "folder"], "is a folder"),
        (["--out", "nowhere/values.csv"], "there is no folder"),
        (["--run-dir", "record", "--out", "record/values.csv"], "lies in the run's own folder"),
        (["--out="], "--out"),
        (["--damping", "nan"], "nan is no number"),
        (["--top", "-1"], "from 0 on"),
        (["--graph-seed", "-1"], "from 0 on"),
        (["--max-cycles", "-1"], "greater than or equal to 0"),
        (["--seed", "18446744073709551616"], "less than or equal to"),
    ],
)
def test_options_of_a_run(polyloom: Polyloom, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "graph.txt").write_text("0 1\n1 2\n")
    (tmp_path / "linked.csv").symlink_to("graph.txt")
    (tmp_path / "folder").mkdir()
    refused(polyloom("run", "pagerank", "--graph", "graph.txt", "--cluster", "tiny-1", *words), message)
    assert (tmp_path / "graph.txt").read_text() == "0 1\n1 2\n"


def test_a_limit_beyond_all_time_is_none(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("0 1\n1 2\n")
    most = 2**64 - 1
    assert polyloom("run", "pagerank", "--graph", "graph.txt", "--cluster", "tiny-1", "--max-cycles", most).status == 0


def test_a_result_goes_through_a_link_to_a_file_that_is_yet_to_be(polyloom: Polyloom, tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("0 1\n1 2\n")
    (tmp_path / "link.csv").symlink_to("values.csv")
    done = polyloom("run", "pagerank", "--graph", "graph.txt", "--on", "native", "--out", "link.csv")
    assert done.status == 0, done.err
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "values.csv").read_text().startswith("vertex,value")


@pytest.mark.parametrize("packed", ["bz2", "xz", "gz"])
@pytest.mark.parametrize("percent", [40, 97])
def test_a_compressed_file_that_ends_too_early(polyloom: Polyloom, tmp_path: Path, packed: str, percent: int) -> None:
    """No line is cut where the last block that can be unpacked ends, so nothing else tells."""
    text = "".join(f"{v} {v + 1}\n" for v in range(50_000)).encode()
    whole = {"bz2": bz2.compress, "xz": lzma.compress, "gz": gzip.compress}[packed](text)
    file = tmp_path / f"graph.txt.{packed}"
    file.write_bytes(whole)
    assert polyloom("run", "pagerank", "--on", "native", "--graph", file).status == 0
    file.write_bytes(whole[: len(whole) * percent // 100])
    refused(polyloom("run", "pagerank", "--on", "native", "--graph", file), file.name, "truncated")


@pytest.mark.parametrize("words", [("run", "components", "--generate", "grid:2:2"), ("run", "sort", "--keys", "9")])
def test_an_output_of_the_longest_name(polyloom: Polyloom, tmp_path: Path, words: tuple[str, ...]) -> None:
    name = "\u00e4" * 125 + ".csv"
    assert polyloom(*words, "--on", "native", "--out", name).status == 0
    assert (tmp_path / name).exists()


@pytest.mark.parametrize("on", ["native", "sim"])
def test_a_run_that_cannot_begin_leaves_the_record_before(polyloom: Polyloom, tmp_path: Path, on: str) -> None:
    words = ("run", "components", "--on", on, "--run-dir", "out")
    assert polyloom(*words, "--generate", "grid:3:3").status == 0
    before = {path: path.read_bytes() for path in tmp_path.glob("out/[a-z]*")}
    refused(polyloom(*words, "--graph", "nowhere.txt"), "nowhere.txt")
    refused(polyloom(*words, "--graph", "out/run.json"), "--run-dir out: out/run.json, which the run reads, lies in it")
    assert before == {path: path.read_bytes() for path in tmp_path.glob("out/[a-z]*")}
    refused(polyloom(*words[:-1], "new", "--graph", "nowhere.txt"), "nowhere.txt")
    assert not (tmp_path / "new").exists()
    assert polyloom(*words, "--generate", "grid:2:2").status == 0


@pytest.mark.parametrize("verify", [False, True])
def test_a_graph_through_a_pipe(tmp_path: Path, verify: bool) -> None:
    words = [
        POLYLOOM,
        "run",
        "components",
        "--on",
        "native",
        "--graph",
        "/dev/stdin",
        *(["--verify"] if verify else []),
    ]
    done = subprocess.run(words, cwd=tmp_path, input="0 1\n2 3\n", capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is not verify, done.stderr
    assert not verify or "--verify reads the graph a second time, and /dev/stdin is a pipe" in done.stderr


@pytest.mark.parametrize("word", ["--graph {}", "--graph={}"])
def test_a_graph_through_a_descriptor(tmp_path: Path, word: str) -> None:
    """As a shell opens one for ``--graph <(zcat graph.gz)``."""
    read, write = os.pipe()
    os.write(write, b"3 4\n4 9\n")
    os.close(write)
    words = [
        str(POLYLOOM),
        "run",
        "components",
        "--on",
        "native",
        *word.format(f"/dev/fd/{read}").split(),
        "--out",
        "o.csv",
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, pass_fds=[read])
    os.close(read)
    assert done.returncode == 0, done.stderr
    assert read_values(tmp_path / "o.csv") == {3: 3, 4: 3, 9: 3}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("POLYLOOM_MAX_CYCLES", "abc", "--max-cycles = abc"),
        ("POLYLOOM_MAX_CYCLES", "-5", "-5: a number from 0 on"),
        ("POLYLOOM_STANDSTILL", "abc", '--standstill = "abc"; allowed: a time with its unit'),
        ("POLYLOOM_ENGINE", "bogus", '--engine = "bogus"; allowed: serial'),
    ],
)
def test_an_environment_that_cannot_be_read(tmp_path: Path, name: str, value: str, says: str) -> None:
    """The simulator reads it, the program that started it tells; no one else says anything."""
    words = [POLYLOOM, "run", "pagerank", "--generate", "uniform:10:2", "--cluster", "tiny-2"]
    env = {**os.environ, name: value}
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("polyloom: ") and says in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run asp --graph graph.txt --on native --sources 100", "--sources 100: the graph has 3 vertices"),
        ("run sort --in keys.npy --on native --seed 4", "--seed 4 is for generated records"),
        ("nbody --nodes 2 --let hub --order quadrupole", "--order quadrupole: a hub makes trees of monopoles"),
        ("nbody --from keys.npy", "keys.npy is a single array; needed is an NPZ file"),
        ("mpirun --on native -n 2 --no-check graph.txt", "--no-check: CPU processes alone"),
        ("mpirun --cluster zrlmpi:1025 p.c", 'cluster "zrlmpi:1025": no such number of ranks; allowed: zrlmpi:2 to'),
        ("cluster show zrlmpi:many", 'cluster "zrlmpi:many": no such number of ranks; allowed: zrlmpi:2 to'),
    ],
)
def test_requests_that_cannot_be_met(polyloom: Polyloom, tmp_path: Path, words: str, says: str) -> None:
    (tmp_path / "graph.txt").write_text("0 1\n1 2\n")
    (tmp_path / "p.c").write_text("int main(void) { return 0; }")
    np.save(tmp_path / "keys.npy", np.ones((4, 2), np.uint32))
    refused(polyloom(*words.split()), says)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "sssp", "--generate", "uniform:9000:2", "--on", "native", "--out", "out.csv"],
        ["run", "sort", "--keys", "9000", "--on", "native", "--out", "out.npy"],
        ["nbody", "--n", "900", "--steps", "1", "--out", "out.npz"],
    ],
    ids=lambda words: words[1],
)
def test_a_file_that_may_not_grow_is_told(words: list[str], tmp_path: Path) -> None:
    """ulimit -f: a whole result or none, and no partial file."""
    limits = ["bash", "-c", 'ulimit -f 16; exec "$@"', "bash"]
    done = subprocess.run(
        [*limits, POLYLOOM, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "POLYLOOM_HOME": str(ROOT)},
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr and "cannot write" in done.stderr, done.stderr
    assert not list(tmp_path.glob("*out.*")) and not list(tmp_path.rglob("*partial*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("heat", "--start", "in.csv", "--out", "in.csv"), "--out in.csv: is the file that --start reads"),
        (("heat", "--held", "in.csv", "--out", "./in.csv"), "--out ./in.csv: is the file that --held reads"),
        (("neurons", "--stimulus", "in.csv", "--raster", "in.csv"), "--raster in.csv: is the file that --stimulus"),
        (("neurons", "--raster", "new.csv", "--traces", "./new.csv"), "--traces ./new.csv: --raster writes there"),
        (("neurons", "--raster", "new.csv", "--out", "new.csv"), "--raster new.csv: --out writes there"),
    ],
)
def test_a_file_of_two_options(polyloom: Polyloom, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """Nothing is read and written, or written twice."""
    (tmp_path / "in.csv").write_text("1,1\n")
    done = polyloom("run", *words, "--generate", "grid:3:3", "--on", "native")
    assert done.status == 1 and said in done.err
    assert (tmp_path / "in.csv").read_text() == "1,1\n" and not (tmp_path / "new.csv").exists()
