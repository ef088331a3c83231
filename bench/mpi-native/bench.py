# SPDX-License-Identifier: Apache-2.0
"""MPI on CPUs: jobs of ``polyloom mpirun`` beside those of the site's own ``mpirun``, and our runtime beside UDP.

Input: native.c (a round trip of 1 byte, an all-reduce of 1 MiB, two ranks), udp.c (a datagram there and back). Both
sides of a ratio run in turn on this machine, and each has the least of its times. The runtime of CPU ranks beside FPGAs
is measured between two of them (--wire), in wall time: an FPGA's side is simulated.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from bench.common.harness import ROOT, Bench

HERE = Path(__file__).parent
NATIVE, UDP = HERE / "native.c", HERE / "udp.c"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
#: Arguments of native.c. Few enough rounds that nothing of the machine's comes between in the best batch.
WORKS = {"round trip of 1 B": ("pingpong", "1", "2000"), "all-reduce of 1 MiB": ("allreduce", "1048576", "20")}
TARGET_SITE, TARGET_UDP = 1.03, 2.0  # times


def us_of(command: list[str], env: Mapping[str, str]) -> float:
    """The microseconds that a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, check=True, timeout=120)
    return next(float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("us "))


def ours(folder: Path, *words: str) -> float:
    """The same of a job of two CPU processes."""
    command = [
        sys.executable,
        "-m",
        "polyloom",
        "mpirun",
        "--run-dir",
        str(folder / "run"),
        "--on",
        "native",
        "-n",
        "2",
    ]
    return us_of([*command, *words], {"PYTHONPATH": str(ROOT)})


def in_turn(rounds: int, one: Callable[[], float], other: Callable[[], float]) -> tuple[float, float]:
    """The least of both, measured alternately."""
    pairs = [(one(), other()) for _ in range(rounds)]
    return min(a for a, _ in pairs), min(b for _, b in pairs)


def run(bench: Bench) -> None:
    """All of it."""
    rounds = 2 if bench.quick else 15
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        binary, udp = folder / "native", folder / "udp"
        subprocess.run(["mpicc", "-O2", NATIVE, "-o", binary], check=True)
        subprocess.run(["cc", "-O2", UDP, "-o", udp], check=True)
        site = ["mpirun", "-n", "2", "--oversubscribe", str(binary)]
        table = []
        for what, words in WORKS.items():
            mine, theirs = in_turn(
                rounds, partial(ours, folder, str(NATIVE), *words), partial(us_of, [*site, *words], AS_ROOT)
            )
            table.append([what, f"{mine:.4g}", f"{theirs:.4g}", f"{mine / theirs:.3f}"])
            bench.row(what, f"{mine:.4g} us", ratio=f"{mine / theirs:.3f} of the site's mpirun")
            ratio = mine / theirs
            bench.target(f"{what}: times the site's own", f"at most {TARGET_SITE:g}", ratio, ratio <= TARGET_SITE)
        words = ("pingpong", "8", "500")
        mine, bare = in_turn(
            rounds, lambda: ours(folder, "--wire", str(NATIVE), *words), lambda: us_of([str(udp), "8", "500"], {})
        )
        table.append(
            ["round trip of 8 B, our runtime beside bare UDP", f"{mine:.4g}", f"{bare:.4g}", f"{mine / bare:.3f}"]
        )
        bench.row("round trip of 8 B, our runtime", f"{mine:.4g} us", ratio=f"{mine / bare:.2f} of bare UDP")
        bench.target(
            "round trip of 8 B: times bare UDP", f"at most {TARGET_UDP:g}", mine / bare, mine / bare <= TARGET_UDP
        )
        bench.note(
            "round trip of 1 B: four calls, to each of which the library that says where ranks wait adds some twenty "
            "instructions, 1 to 2 ns of 50; ratios of one run and the next differ by as much"
        )
        head = ["what", "ours, us", "beside it, us", "ratio"]
        bench.figures["tables"] = [{"title": "Two ranks on CPUs", "head": head, "rows": table}]
