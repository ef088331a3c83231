# SPDX-License-Identifier: Apache-2.0
"""Starts a job of CPU ranks on UDP sockets of this machine: the tests' own launcher.

Input: a program linked with libpolyloom_mpi, the number of ranks. Output: what it printed, by rank, and the manager's
events. Usage: `run("build/tests/mpi/pi", 4)`, or `python mpi_job.py -n 4 PROGRAM [ARGS]`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[4]
BUILD = Path(os.environ.get("POLYLOOM_BUILD", REPOSITORY / "build"))

#: Native kernels by rank: program and report.
Boards = dict[int, tuple[Path, Path]]


@dataclass
class Run:
    """What a job said and how it ended; lists are by rank."""

    stdout: list[str]
    stderr: list[str]
    codes: list[int]
    manager_code: int
    events: list[dict[str, Any]] = field(default_factory=list)

    def event(self, kind: str) -> dict[str, Any]:
        """The first event of that kind."""
        return next(e for e in self.events if e["event"] == kind)


def free_ports(count: int) -> list[int]:
    """UDP ports that no one has now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def strings_of(binary: Path) -> str:
    """What a kernel's report says of its constants, for a native kernel: every text in its read-only data."""
    sections = subprocess.run(["readelf", "-SW", str(binary)], check=True, capture_output=True, text=True).stdout
    found = re.search(r" \.rodata +PROGBITS +([0-9a-f]+) +([0-9a-f]+) +([0-9a-f]+)", sections)
    assert found
    address, offset, size = (int(text, 16) for text in found.groups())
    data = binary.read_bytes()[offset : offset + size]
    strings = {}
    for match in re.finditer(rb"[\t-~\n]*\0", data):
        for at in range(match.start(), match.end()):  # where a text begins among other data cannot be seen
            strings[f"{address + at:#010x}"] = data[at : match.end() - 1].decode()
    return json.dumps({"strings": strings})


def job_of(size: int, boards: Boards, **changes: Any) -> dict[str, Any]:
    """The job file's content, but for the rank."""
    table = [{"ip": "127.0.0.1", "port": port, "kind": "cpu"} for port in free_ports(size + 1)]
    for rank in boards:  # management has a fixed port, so each needs an address of its own
        ip = f"127.{random.randrange(1, 255)}.{random.randrange(1, 255)}.{random.randrange(1, 255)}"
        table[rank] = {"ip": ip, "port": 2718, "kind": "fpga"}
    job: dict[str, Any] = {
        "job": random.randrange(1, 1 << 31),
        "size": size,
        "transport": "udp",
        "retries": 0xFFFF,
        "times": {"retransmission_ps": 5_000_000_000, "ack_delay_ps": 1_000_000_000},
        "table": table,
        "kernels": {str(rank): {"report": str(report)} for rank, (_, report) in boards.items()},
    }
    return job | changes


def start(job: dict[str, Any], rank: int, command: list[str], folder: Path) -> subprocess.Popen[str]:
    """One process of the job; rank `size` is the manager. `job["own"]`, by rank, is what this one is told otherwise."""
    path = folder / f"rank{rank}.json"
    path.write_text(json.dumps(job | {"rank": rank} | job.get("own", {}).get(rank, {})))
    arguments = [*command, str(path)] if rank == job["size"] else command
    return subprocess.Popen(
        arguments,
        env=os.environ | {"POLYLOOM_MPI_JOB": str(path)},
        stdout=(folder / f"out{rank}").open("w"),
        stderr=(folder / f"err{rank}").open("w"),
        text=True,
    )


def run(
    program: str | Path, size: int, *arguments: str, timeout: float = 60, boards: Boards | None = None, **changes: Any
) -> Run:
    """Waits for all; when the manager ends with an error, or a rank dies, the others are ended.

    Ranks in `boards` are native kernels (board.cc) with their reports.
    """
    boards = boards or {}
    if not Path(program).exists():
        raise FileNotFoundError(program)  # before the manager waits for it
    job = job_of(size, boards, **changes)
    with tempfile.TemporaryDirectory(prefix="polyloom-mpi-") as name:
        folder = Path(name)
        manager = start(job, size, [str(BUILD / "bin" / "polyloom-mpi-manager")], folder)
        commands = [[str(program), *arguments] for _ in range(size)]
        for rank, (binary, _) in boards.items():
            commands[rank] = [str(binary), job["table"][rank]["ip"]]
        ranks = [start(job, rank, command, folder) for rank, command in enumerate(commands)]
        everyone = [manager, *ranks]
        end = time.monotonic() + timeout
        while any(p.poll() is None for p in everyone):
            late = time.monotonic() > end
            if manager.poll() not in (None, 0) or any(p.poll() not in (None, 0) for p in ranks) or late:
                time.sleep(0.3)  # the rest of what they have to say
                for process in everyone:
                    if process.poll() is None:
                        process.kill()
            time.sleep(0.002)
        for process in everyone:
            process.wait()
        texts = [(folder / f"out{r}").read_text() for r in range(size + 1)]
        errors = [(folder / f"err{r}").read_text() for r in range(size)]
    if time.monotonic() > end:
        raise TimeoutError(f"{program} with {size} ranks: {texts}, {errors}")
    events = [json.loads(line) for line in texts[size].splitlines()]
    return Run(texts[:size], errors, [p.returncode for p in ranks], manager.returncode, events)


def main() -> int:
    """Run a program from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=2)
    parser.add_argument("program")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    result = run(options.program, options.n, *options.arguments)
    for out, err in zip(result.stdout, result.stderr, strict=True):
        sys.stdout.write(out)
        sys.stderr.write(err)
    for event in result.events:
        print(json.dumps(event), file=sys.stderr)
    return result.manager_code


if __name__ == "__main__":
    sys.exit(main())
