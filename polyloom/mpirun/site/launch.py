# SPDX-License-Identifier: Apache-2.0
"""Runs a job by the site's MPI. Input: a request and what was built; output: exit status, a run folder.

One process of ours: the site's ``mpirun``. Ranks hand us what they print; what goes wrong, it says in words of its own,
which are read here, so that a job looks like one on a cluster.
"""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path

from polyloom.base import paths, process
from polyloom.base.folder import RunFolder
from polyloom.base.progress import Progress
from polyloom.base.site_mpi import AS_ROOT, IMPROPER, RULE, SIGNAL, STATUS
from polyloom.mpirun.build import Built
from polyloom.mpirun.children import Children
from polyloom.mpirun.output import Output
from polyloom.mpirun.request import Request
from polyloom.mpirun.site import mpi
from polyloom.mpirun.site.ranks import Ranks
from polyloom.mpirun.site.watch import LOOK_SECONDS, Watch
from polyloom.mpirun.state import State

NAME = "mpirun"  # of the process, and so of its log


class SiteLauncher:
    """One run of one job; ``run`` may be called once."""

    def __init__(self, request: Request, built: Built, folder: RunFolder) -> None:
        self._request = request
        self._built = built
        self._folder = folder
        self._site = built.need_site()
        self._state = State()
        self._progress = Progress("mpirun")
        self._output = Output(folder, request.tag_output, built.size, self._progress)
        self._said: list[str] = []  # by the site's mpirun itself

    def run(self) -> State:
        """Start the job, wait, end everything."""
        self._request.hosts.check()
        self._progress.at(0, lambda: f"{self._built.size} ranks run by {self._site.name}")
        hosts = self._request.hosts.others
        with self._progress, process.scratch("job") as scratch:
            watch = Watch(scratch, self._built.size, self._site.dialect.any_source)
            try:
                with Ranks(self._built.size, hosts, self._output.write) as ranks, Children(self._line) as children:
                    own = AS_ROOT if os.geteuid() == 0 else {}
                    command = self._command(ranks.where, scratch)
                    children.start(NAME, command, {**paths.environment(), **own}, None)
                    status = self._wait(children, watch)
            finally:
                self._output.close()
                self._folder.remove_partial()
            if status is not None:
                self._judge(status, watch.failure())
        if self._output.lost is not None:
            why = self._output.lost.strerror
            self._state.causes.append(f"cannot show what the ranks print: {why}; it is in the record's logs")
        self._state.inside_line = self._output.inside_line
        return self._state

    def _command(self, where: str, scratch: Path) -> list[str]:
        request, dialect = self._request, self._site.dialect
        loaded = " ".join(filter(None, (str(mpi.preload(self._site)), os.environ.get("LD_PRELOAD"))))
        variables = {"LD_PRELOAD": loaded, "POLYLOOM_RANK_OUTPUT": where, "POLYLOOM_RANK_WATCH": str(scratch)}
        command = [self._site.launcher, "-n", str(self._built.size), *dialect.environment(variables)]
        return [*command, *request.hosts.words(dialect), *self._built.command(), *request.args]

    def _wait(self, children: Children, watch: Watch) -> int | None:
        """The exit status of the site's mpirun; None if the time was over first, or the ranks stand still."""
        limit = self._request.timeout
        deadline = time.monotonic() + limit if limit else math.inf
        while (child := children.next_end(min(LOOK_SECONDS, max(0.0, deadline - time.monotonic())))) is None:
            if time.monotonic() >= deadline:
                self._state.stop(limit or 0)
                self._state.causes[-1] = "\n  ".join([self._state.causes[-1], *watch.places()])
                return None
            if text := watch.deadlock():
                self._state.causes.append(text)
                return None
        return child.status if child.signal is None else 128 + child.signal

    def _line(self, _name: str, stream: str, text: bytes) -> None:
        """What mpirun itself says, and ranks into which nothing can be loaded."""
        self._output.log(NAME, text)
        if stream == "stdout":
            self._output.show(stream, text)
        else:
            self._said.append(text.decode(errors="replace"))

    def _judge(self, status: int, failure: tuple[int, str, int | None] | None) -> None:
        """Why the job ended as it did."""
        said = "".join(self._said)
        state = self._state
        if status == 0:
            state.exits = dict.fromkeys(range(self._built.size), 0)
            sys.stderr.write(said)  # its warnings
        elif failure is not None:
            rank, why, code = failure
            state.exits[rank], state.abort = status, code
            state.causes.append(f"rank {rank} {why}" if code is not None else f"rank {rank}: {why}")
        elif found := SIGNAL.search(said):
            state.exits[int(found["rank"])] = 128 + int(found["signal"])
            state.causes.append(f"rank {found['rank']} was killed by signal {found['signal']}")
        elif found := STATUS.search(said):
            state.exits[int(found[1])] = int(found[2])
            state.consequences.append(f"rank {found[1]} ended with status {found[2]}")
        elif found := IMPROPER.search(said):
            state.exits[int(found[1])] = status
            state.causes.append(f"rank {found[1]}: its program ended without MPI_Finalize")
        else:
            text = RULE.sub("", said).strip()
            state.abort = status
            state.causes.append(f"{self._site.launcher} ended with status {status}" + (f":\n{text}" if text else ""))
