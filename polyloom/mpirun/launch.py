# SPDX-License-Identifier: Apache-2.0
"""Runs an MPI job. Input: a request and what was built; output: exit status, a run folder.

Processes: the simulator (not with ``--on native``), the manager, one for each CPU rank. The manager is the job's rank
``size``: it starts the FPGAs, hears what they print, and says by lines of JSON how the job goes on.
"""

from __future__ import annotations

import csv
import json
import math
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polyloom.base import interrupts, json_text, paths, process, record
from polyloom.base.errors import UserError
from polyloom.base.folder import RunFolder
from polyloom.base.progress import Progress
from polyloom.mpirun import job as job_file
from polyloom.mpirun.build import Built
from polyloom.mpirun.children import Child, Children
from polyloom.mpirun.output import Output
from polyloom.mpirun.request import Request
from polyloom.mpirun.site.launch import SiteLauncher
from polyloom.mpirun.state import State
from polyloom.transpile.ranks import text_of

#: How often to look whether a rank that has ended without a word had said before that it would.
LOOK_SECONDS = 0.05
#: How long the other processes may take to end by themselves once the job has failed: to tell why, or if that is known.
SETTLE_SECONDS, SETTLE_KNOWN_SECONDS = 3.0, 0.7
#: How long ranks may take to say where they are before the job is ended, and how many of them are shown.
WHERE_SECONDS, MOST_LINES = 0.5, 16
#: What a kernel's checks say (polyloom/hls/emit/checks.py), among what the simulator says of its end.
_CHECK = re.compile(r"(rank \d+: .*) \(the design stopped(?: at \S+:\d+)?\)")
#: Where a kernel that ends the job was called from: said in the same place, read before or after the manager's word.
_LAST_CALL = re.compile(rb"rank (\d+): last call: (\S+:\d+:\d+)\s*")


class Launcher:
    """One run of one job; ``run`` may be called once."""

    def __init__(self, request: Request, built: Built, folder: RunFolder) -> None:
        self._request = request
        self._built = built
        self._folder = folder
        self._state = State()
        self._progress = Progress("mpirun")
        self._output = Output(folder, request.tag_output, built.size, self._progress)
        self._cpu = {f"rank {rank}": rank for rank in built.cpu_ranks}
        self._running: set[str] = set()
        self._finalized: set[int] = set()  # ranks that have told the manager so
        self._last_calls: dict[int, str] = {}  # by FPGA rank that ends the job: file and line of its last MPI call
        self._deadlock: tuple[int, dict[str, Any]] | None = None  # the place of that cause, and the manager's word
        self._where: dict[int, str] = {}  # by CPU rank: what it does, if the job is ended meanwhile
        self._aborted: tuple[int, int] | None = None  # the place of that cause, and the rank
        self._left: set[int] = set()  # ranks whose processes have ended with 0, until it is known how
        self._begun: dict[int, Path] = {}  # by CPU rank: a file that is there once it has called MPI_Init

    def run(self) -> State:
        """Start everything, wait, end everything."""
        self._progress.at(0, self._standing)
        with self._progress, process.scratch("job", process.short_place()) as scratch:
            try:
                with Children(self._line) as children:
                    self._start(children, scratch)
                    try:
                        self._wait(children)
                    except interrupts.Ended:
                        self._request_where(children)
                        raise
                    if self._state.timed_out:
                        self._request_where(children)
                self._add_tables(scratch)
            except interrupts.Ended:
                for line in self._standing_ranks():
                    print(f"polyloom: {line}", file=sys.stderr)
                raise
            finally:
                self._output.close()
                self._state.reported = self._output.reported
                self._folder.remove_partial()
            if self._aborted is not None and self._aborted[1] in self._last_calls:
                self._state.causes[self._aborted[0]] += f", at {self._last_calls[self._aborted[1]]}"
            if self._deadlock is not None:
                places = {rank: place for rank, (_, place) in self._stopped_fpgas().items()}
                self._state.causes[self._deadlock[0]] = _deadlock_text(self._deadlock[1], places)
            if self._state.timed_out:
                self._state.causes[-1] = "\n  ".join([self._state.causes[-1], *self._standing_ranks()])
            if self._output.lost is not None:
                why = self._output.lost.strerror
                self._state.causes.append(f"cannot show what the ranks print: {why}; it is in the record's logs")
            if not self._state.status():
                self._state.left = self._left_by_fpgas()
            self._state.inside_line = self._output.inside_line
        return self._state

    def _start(self, children: Children, folder: Path) -> None:
        built, request, native = self._built, self._request, self._request.on == "native"
        cluster = None if native else built.need_cluster()
        addresses = job_file.fabric_addresses(cluster) if cluster else job_file.loopback_addresses(built.size)
        transport = "fabric" if cluster else "udp"
        words = [request.name, *request.args]
        choice = request.source.collectives
        shared = job_file.content(addresses, transport, cluster, built.kernels, words, choice, built.cpu_time)
        env = paths.environment()
        if not native:
            env["POLYLOOM_SOCKET"] = str(folder / "simulator")
            env["POLYLOOM_SECRET"] = secrets.token_hex(16)
            self._start_simulator(children, folder, env)
        self._begun = {rank: job_file.begun(folder, rank) for rank in self._cpu.values()}
        manager = dict(env)
        command = [str(paths.program("polyloom-mpi-manager")), str(job_file.write(folder, shared, built.size))]
        if not native:
            manager["POLYLOOM_CLIENT"] = str(built.need_cluster().manager.client)
        self._add(children, "manager", command, manager, subprocess.DEVNULL)
        for name, rank in self._cpu.items():
            own = {**env, **built.environment, "POLYLOOM_MPI_JOB": str(job_file.write(folder, shared, rank))}
            if not native:
                own["POLYLOOM_CLIENT"] = str(built.need_cluster().ranks[rank].client)
            stdin = None if rank == 0 else subprocess.DEVNULL
            self._add(children, name, [*built.command(), *self._request.args], own, stdin)

    def _add_tables(self, folder: Path) -> None:
        """What CPU ranks have written of their calls, to what the simulator has of those of the FPGAs."""
        found: dict[str, list[str]] = {}
        for file in sorted(folder.glob("*.csv"), key=lambda file: int(re.findall(r"\d+", file.name)[0])):
            header, *rows = file.read_text().splitlines(keepends=True)
            found.setdefault(file.suffixes[-2].removeprefix("."), [header]).extend(rows)
        for name, rows in found.items():
            known = self._folder.path / f"{name}.csv"
            text = known.read_text() if known.exists() else rows[0]
            self._folder.write(known.name, text + "".join(rows[1:]))

    def _start_simulator(self, children: Children, folder: Path, shared: dict[str, str]) -> None:
        socket = shared["POLYLOOM_SOCKET"]
        images = {}
        cluster = self._built.need_cluster()
        for kernel, image in zip(self._built.kernels, self._built.images, strict=True):
            for rank in kernel.ranks:
                images[cluster.ranks[rank].name] = image
        (folder / "kernels.json").write_text(json.dumps(images))
        command = [str(paths.program("polyloom-sim")), "--cluster", str(cluster.file), "--on", self._request.on]
        command += ["--listen", socket]
        command += ["--run-dir", str(self._folder.path), *(["--trace"] if self._request.trace else [])]
        command += ["--engine", self._request.engine] if self._request.engine else []
        command += ["--seed", str(self._request.seed)]
        env = {"POLYLOOM_KERNELS": str(folder / "kernels.json"), **shared, **self._folder.env}
        # It alone writes into the run folder. What a rank leaves behind must not hold that.
        self._add(children, "simulator", command, env, subprocess.DEVNULL, self._folder.descriptors)
        while not Path(socket).exists():  # it reads the cluster first, and may find fault with it
            ended = children.next_end(0.02)
            if ended is not None:
                self._running.discard(ended.name)
                self._judge(ended)
                raise UserError(self._state.problems[0])

    def _standing(self) -> str:
        """For who waits: how many ranks run."""
        ended = len(self._state.exits)
        return f"{self._built.size} ranks run" if not ended else f"{ended} of {self._built.size} ranks have ended"

    def _add(
        self,
        children: Children,
        name: str,
        command: list[str],
        env: dict[str, str],
        stdin: int | None,
        descriptors: Sequence[int] = (),
    ) -> None:
        children.start(name, command, env, stdin, descriptors)
        self._running.add(name)

    def _wait(self, children: Children) -> None:
        deadline = time.monotonic() + self._request.timeout if self._request.timeout else None
        while self._running:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                self._state.stop(self._request.timeout or 0)
                return
            wait = LOOK_SECONDS if self._left else None
            child = children.next_end(left if wait is None else wait if left is None else min(wait, left))
            if child is not None:
                self._running.discard(child.name)
                self._judge(child)
            if self._left:
                self._look_at_left(children)
            if self._state.problems or self._state.abort is not None:
                self._settle(children, math.inf if deadline is None else deadline)
                return

    def _request_where(self, children: Children) -> None:
        """What CPU ranks do now; one that has not called MPI_Init is not asked."""
        files = {
            rank: file.with_suffix(".where")
            for rank, file in self._begun.items()
            if file.exists() and rank not in self._state.exits
        }
        children.report([name for name, rank in self._cpu.items() if rank in files], signal.SIGUSR1)
        deadline = time.monotonic() + WHERE_SECONDS
        while time.monotonic() < deadline and not all(file.exists() and file.stat().st_size for file in files.values()):
            time.sleep(LOOK_SECONDS / 5)
        self._where = {rank: file.read_text() for rank, file in files.items() if file.exists()}

    def _rows(self, table: str) -> list[dict[str, str]]:
        """A table of the record; empty if there is none."""
        file = self._folder.path / f"{table}.csv"
        if not file.exists():
            return []
        with file.open(newline="") as rows:
            return list(csv.DictReader(rows))

    def _left_by_fpgas(self) -> list[str]:
        """What FPGA ranks of the fast model have not completed, or not received. CPU ranks say that themselves."""
        lines = [row["text"] for row in self._rows("mpi_left")]
        recorded = {int(row["rank"]) for row in self._rows("mpi_ranks") if row["fpga"] == "1"}  # none in RTL
        sent: dict[tuple[int, int], int] = {}
        for row in self._rows("mpi_pairs"):
            rank, peer = int(row["rank"]), int(row["peer"])
            sent[rank, peer] = sent.get((rank, peer), 0) + int(row["sent"])
            sent[peer, rank] = sent.get((peer, rank), 0) - int(row["received"])
        for (rank, peer), count in sorted(sent.items()):
            if count > 0 and peer in recorded and not any(line.startswith(f"rank {peer}: ") for line in lines):
                were = "message was" if count == 1 else "messages were"
                lines.append(f"rank {peer}: {count} {were} never received that rank {rank} had sent")
        return lines

    def _stopped_fpgas(self) -> dict[int, tuple[str, str]]:
        """Of FPGA ranks of the fast model that had not ended: what they did, and from where in the program."""
        # "the library" before the program's first call, which says nothing
        known = {int(row["rank"]): (row["text"], row["place"]) for row in self._rows("mpi_now")}
        return {rank: (text, place if ":" in place else "") for rank, (text, place) in known.items()}

    def _standing_ranks(self) -> list[str]:
        """A line for each rank that had not ended, the first ones of many."""
        lines = dict(self._where)
        for rank, (text, place) in self._stopped_fpgas().items():
            lines[rank] = f"{text}, {'called' if ' waits ' in text else 'last call'} at {place}" if place else text
        reported = [lines[rank] for rank in sorted(lines)]
        more = [f"and {len(reported) - MOST_LINES} more ranks"] if len(reported) > MOST_LINES else []
        return [*reported[:MOST_LINES], *more]

    def _settle(self, children: Children, deadline: float) -> None:
        """The job has failed: hear what the others say before they are ended."""
        begin = time.monotonic()
        while self._running:
            known = self._state.causes or self._state.abort is not None
            limit = min(deadline, begin + (SETTLE_KNOWN_SECONDS if known else SETTLE_SECONDS))
            if (left := limit - time.monotonic()) <= 0:
                break
            child = children.next_end(left)
            if child is not None:
                self._running.discard(child.name)
                self._judge(child)
        for child in children.dead(self._running):  # the news of its end may be later than that of what follows
            self._judge(child)
        self._look_at_left(children)

    def _look_at_left(self, children: Children) -> None:
        """Of ranks whose processes have ended with 0: whether they had said so to MPI.

        The others of the job wait for one that had not. As under Open MPI, what calls no MPI anywhere goes well.
        """
        if not children.caught_up("manager"):
            return
        self._left -= self._finalized  # a process ends after the manager has told of it
        begun = {rank for rank, file in self._begun.items() if file.exists()}
        if not begun and not self._built.kernels:
            if len(self._left) == self._built.size:
                self._running.clear()  # the manager waits, and no one will come
            return
        for rank in sorted(self._left):
            call = "MPI_Finalize" if rank in begun else "MPI_Init, which every rank of a job calls"
            self._state.causes.append(f"rank {rank}: its program ended without {call}")
        self._left.clear()

    def _judge(self, child: Child) -> None:
        status = child.status or 0
        if child.name in self._cpu:
            rank = self._cpu[child.name]
            self._state.exits[rank] = status  # MPI_Finalize has told 0 before
            if status == 0:
                self._left.add(rank)
            if child.signal is not None:
                self._state.causes.append(f"rank {rank} was killed by signal {child.signal}")
            elif status and not self._state.problems:
                self._state.consequences.append(f"rank {rank} ended with status {status}")
        elif child.name == "simulator" and (found := _CHECK.search(self._output.tail(child.name))):
            self._state.causes.insert(0, found[1])
        elif child.name == "manager" and status and not self._state.problems and self._failed_fpgas():
            self._state.consequences += [f"rank {rank} ended with status {code}" for rank, code in self._failed_fpgas()]
        elif status and not self._state.problems:
            said = self._output.tail(child.name)
            self._state.consequences.append(
                f"the {child.name} ended with status {status}" + (f": {said}" if said else "")
            )

    def _failed_fpgas(self) -> list[tuple[int, int]]:
        """Ranks that are no processes of ours and have ended with another status than 0."""
        on_cpu = self._cpu.values()
        return [(rank, code) for rank, code in sorted(self._state.exits.items()) if code and rank not in on_cpu]

    def _line(self, name: str, stream: str, text: bytes) -> None:
        if name in self._cpu:
            self._output.write(self._cpu[name], stream, text)
        elif name == "manager" and stream == "stdout":
            self._event(text)
        else:
            if name == "simulator" and (found := _LAST_CALL.fullmatch(text)):
                self._last_calls[int(found[1])] = found[2].decode(errors="replace")
            self._output.log(name, text)

    def _event(self, text: bytes) -> None:
        try:
            event = json.loads(text)
        except ValueError:
            self._output.log("manager", text)
            return
        kind = event.get("event")
        if kind == "output":
            self._output.write(event["rank"], event["stream"], json_text.to_bytes(event["text"]))
        elif kind == "exit":
            self._finalized.add(event["rank"])
            self._state.exits.setdefault(event["rank"], event["code"])  # a process's own status counts, if known
        elif kind == "abort":
            self._state.abort = event["code"]
            self._aborted = len(self._state.causes), event["rank"]
            self._state.causes.append(event.get("text") or f"rank {event['rank']} called MPI_Abort({event['code']})")
        elif kind == "deadlock":
            self._deadlock = len(self._state.causes), event
            self._state.causes.append("deadlock")  # whose places are known at the end
        elif kind == "error":
            problems = self._state.consequences if event.get("consequence") else self._state.causes
            found = _CHECK.search(event["text"])
            problems.append(found[1] if found else event["text"])
        elif kind == "end":
            self._state.end = event


def _deadlock_text(event: dict[str, Any], places: dict[int, str]) -> str:
    lines = ["deadlock: every rank waits and nothing is under way"]
    for wait in event["waits"]:
        place = places.get(wait["rank"])
        lines.append(wait["text"] + (f", at {place}" if place else ""))
    if event["ended"]:
        lines.append(f"ended before: rank{'s' * (len(event['ended']) > 1)} {text_of(event['ended'])}")
    if event.get("circle"):
        lines.append("in a circle: ranks " + " -> ".join(map(str, [*event["circle"], event["circle"][0]])))
    if event.get("note"):
        lines.append(event["note"])
    return "\n  ".join(lines)


def run(request: Request, built: Built) -> tuple[int, Path, State]:
    """Run a job. Returns (exit status, run folder, what is known)."""
    name = request.name
    read: list[str | Path] = [*request.files, *request.args, request.cluster]
    with record.open_folder(request.run_dir, Path("runs"), name, request.on, read) as folder:
        start = time.monotonic()
        status = 1
        facts: dict[str, Any] = {"program": [str(file) for file in request.files], "ranks": built.size}
        if built.site:
            facts["mpi"] = str(built.site)
        if built.cpu_time:
            facts |= {"cpu_time": str(built.cpu_time), "reproducible": not built.cpu_time.measured}
        try:
            launcher = SiteLauncher if built.site else Launcher
            state = launcher(request, built, folder).run()
            status = state.status()
            exits = {str(rank): code for rank, code in sorted(state.exits.items())}
            facts |= {"exits": exits, "problems": state.problems}
        except interrupts.Ended as ended:
            status = ended.status
            raise
        finally:
            wall = time.monotonic() - start
            record.complete(folder, name, request.on, sys.argv, request.seed, status, wall, facts)
    for line in state.left:
        print(f"polyloom: {line}", file=sys.stderr)
    for problem in state.problems[:1]:
        if problem not in state.reported:
            print(f"polyloom: {problem}", file=sys.stderr)
    return state.status(), folder.path, state
