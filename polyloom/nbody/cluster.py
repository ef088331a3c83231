# SPDX-License-Identifier: Apache-2.0
"""A simulation on a cluster of hubs, a process a node. Input: bodies, settings, place; output: as of ``Simulation``.

Each rank's process holds its bodies; its memory lies in the window that the hubs share (roles/hub). The simulator is
started here and ends with this object.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np

from polyloom.base import interrupts, paths, process
from polyloom.base.errors import UserError
from polyloom.nbody import arrays, precision, trees
from polyloom.nbody.arrays import ARRAYS, State
from polyloom.nbody.loader import NBodyError
from polyloom.nbody.rank import serve
from polyloom.nbody.settings import Settings

#: How long processes may take to end by themselves before they are killed, seconds.
GRACE = 5.0


@dataclass(frozen=True)
class Place:
    """Where ranks run and how trees travel. ``let``: hub, host, full; ``compute``: free, measured."""

    cluster: str
    on: str = "sim"
    let: str = "hub"
    compute: str = "free"
    engine: str = ""
    folder: Path | None = None  # run record of the simulator
    descriptors: tuple[int, ...] = ()  # that hold the folder around it


@contextlib.contextmanager
def _blocked(signals: Sequence[int]) -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class ClusterSimulation:
    """Leapfrog over one domain a hub. Use as a context: no process is left after it. ``state``: as Simulation's."""

    #: Each call ends by a meeting of the ranks, so the number of calls must not depend on the wall clock.
    MOST_STEPS = 1

    def __init__(self, state: State, settings: Settings, nodes: int, place: Place) -> None:
        self.settings = settings
        self._ranks: list[Any] = []
        self._pipes: list[Any] = []
        self._requested = False  # a request is under way
        self._secret = secrets.token_hex(16)  # that simulator and ranks know each other by
        self._stack = contextlib.ExitStack()
        self._folder = self._stack.enter_context(process.scratch("nbody", process.short_place()))
        try:
            self._simulator = self._start_simulator(place, nodes)
            self._start_ranks(state, nodes, place)
            self._results()
            precision.warn(trees.closeness(state, settings.eps))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ClusterSimulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Compute the first forces."""
        self._all("advance", 0)

    def advance(self, steps: int) -> None:
        """Take so many steps."""
        self._all("advance", arrays.natural("steps", steps))

    def diagnostics(self, direct: bool = False) -> dict[str, Any]:
        """As ``Simulation.diagnostics``."""
        values: dict[str, Any] = self._all("diagnostics", direct)[0]
        return values

    def force_errors(self, samples: int = 2000) -> dict[str, Any]:
        """As ``Simulation.force_errors``."""
        values: dict[str, Any] = self._all("force_errors", arrays.natural("samples", samples))[0]
        return values

    def state(self) -> State:
        """All arrays, domain after domain, with step and time."""
        parts = self._all("state")
        state: State = {name: np.concatenate([part[name] for part in parts]) for name in ARRAYS if name != "domain"}
        counts = [len(part["mass"]) for part in parts]
        state["domain"] = np.repeat(np.arange(len(parts), dtype=np.uint32), counts)
        return {**state, "step": parts[0]["step"], "time": parts[0]["time"]}

    def reports(self) -> list[dict[str, Any]]:
        """Of each domain: wall and simulated seconds by phase, nodes and interactions of the last evaluation."""
        return self._all("report")

    def finish(self) -> float:
        """End the simulated run in good order, so that the simulator writes its record. Returns simulated seconds."""
        seconds: float = max(self._all("simulated"))
        self._all("finish")
        self._simulator.wait(timeout=GRACE)
        return seconds

    def close(self) -> None:
        """End every process."""
        for pipe in self._pipes:
            pipe.close()
        simulator = getattr(self, "_simulator", None)
        if simulator is not None and simulator.poll() is None:
            simulator.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                simulator.wait(timeout=GRACE)
            simulator.kill()
            simulator.wait()
        for rank in self._ranks:
            rank.join(timeout=GRACE)
            if rank.is_alive():
                rank.kill()
                rank.join()
        self._stack.close()

    def _start_simulator(self, place: Place, nodes: int) -> subprocess.Popen[str]:
        self._socket = self._folder / "simulator"
        self._said = self._folder / "said"
        command = [str(paths.program("polyloom-sim")), "--cluster", str(paths.cluster_file(place.cluster))]
        command += ["--listen", str(self._socket), "--clients", str(nodes), "--on", place.on]
        command += ["--engine", place.engine] if place.engine else []
        command += ["--run-dir", str(place.folder)] if place.folder else []
        # The steps' own progress is shown; what the simulator says is kept for when it fails.
        env = {**os.environ, **paths.environment(), "POLYLOOM_SECRET": self._secret, "POLYLOOM_PROGRESS": "off"}
        with self._said.open("w") as said:
            simulator = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                text=True,
                start_new_session=True,
                pass_fds=place.descriptors,
                env=env,
            )
        while not self._socket.exists():
            if simulator.poll() is not None:
                raise UserError(self._simulator_text() or f"the simulator ended with status {simulator.returncode}")
            time.sleep(0.02)
        return simulator

    def _simulator_text(self) -> str:
        return self._said.read_text().strip().removeprefix("polyloom: ")

    def _start_ranks(self, state: State, nodes: int, place: Place) -> None:
        bodies = arrays.of_state(state)
        count = len(bodies["mass"])
        domain = bodies.pop("domain", np.arange(count, dtype=np.int64) * nodes // max(1, count))
        if count and domain.max() >= nodes:
            raise NBodyError(f"body {domain.argmax()} is in domain {domain.max()} of {nodes}")
        clock = {
            "step": arrays.natural("step", state.get("step", 0)),
            "time": arrays.real("time", state.get("time", 0)),
        }
        processes = multiprocessing.get_context("spawn")
        for rank in range(nodes):
            own: dict[str, Any] = {name: values[domain == rank] for name, values in bodies.items()} | clock
            where: dict[str, Any] = {
                "socket": str(self._socket),
                "rank": rank,
                "ranks": nodes,
                "let": place.let,
                "workers": 1,
            }
            where["secret"] = self._secret
            where["measured"] = place.compute == "measured"
            ours, theirs = processes.Pipe()
            process = processes.Process(
                target=serve, args=(theirs, self.settings.as_dict(), where, own), daemon=True, name=f"rank {rank}"
            )
            with _blocked(interrupts.SIGNALS):  # so that none comes before the rank can ignore it
                process.start()
            theirs.close()
            self._ranks.append(process)
            self._pipes.append(ours)

    def _all(self, name: str, *arguments: Any) -> list[Any]:
        if self._requested:
            raise NBodyError(
                f"{name}: an earlier request was interrupted and ranks may be at different steps; begin again"
            )
        self._requested = True
        for pipe in self._pipes:
            with contextlib.suppress(OSError):  # a rank that is gone is missed where its result is read
                pipe.send((name, arguments))
        results = self._results()
        self._requested = False
        return results

    def _results(self) -> list[Any]:
        results: dict[int, Any] = {}
        while len(results) < len(self._pipes):
            for ready in wait([pipe for rank, pipe in enumerate(self._pipes) if rank not in results]):
                rank = self._pipes.index(ready)
                try:
                    error, value = self._pipes[rank].recv()
                except (EOFError, OSError):
                    raise NBodyError(f"rank {rank} has died") from None
                if error is not None:
                    raise NBodyError(self._simulator_text() or error)
                results[rank] = value
        return [results[rank] for rank in range(len(self._pipes))]


def default_cluster(nodes: int) -> str:
    """The shipped cluster with so many hubs."""
    name = f"peach2-{nodes}"
    if name not in paths.clusters():
        have = sorted(int(c.removeprefix("peach2-")) for c in paths.clusters() if c.removeprefix("peach2-").isdigit())
        raise UserError(
            f"--nodes {nodes}: the shipped clusters of hubs have {', '.join(map(str, have))} nodes; "
            "use one of these, or --cluster FILE with as many"
        )
    return name
