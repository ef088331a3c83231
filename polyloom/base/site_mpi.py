# SPDX-License-Identifier: Apache-2.0
"""What starts processes by the MPI that a site has: its ``mpirun``, hosts, and what it says of a job's end.

Input: names of hosts, a launcher; output: words of its command line, and a UserError that names a host on which nothing
can be started.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyloom.base import process
from polyloom.base.errors import UserError

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
#: The variable of Open MPI's that names what starts its daemons on other hosts.
AGENT = "OMPI_MCA_plm_rsh_agent"
#: How long a host may take to respond before the job starts.
RESPONSE_SECONDS = 10
#: What Open MPI says of a job's end: the rank, and a status or a signal.
SIGNAL = re.compile(r"process rank (?P<rank>\d+) with PID \d+ on node (?P<host>\S+) exited on signal (?P<signal>\d+)")
STATUS = re.compile(r"Process name: \[\[\d+,\d+\],(?P<rank>\d+)\]\s+Exit code:\s+(?P<status>\d+)")
IMPROPER = re.compile(r"due to process rank (?P<rank>\d+) with PID \d+ on\s+node \S+ exiting improperly")
LOST = re.compile(r"Remote daemon:\s+\S+ on node (?P<host>\S+)")
#: What stands around each of these texts.
RULE = re.compile(r"^-{10,}$", re.MULTILINE)


@dataclass(frozen=True)
class Dialect:
    """How a launcher is told what every launcher can do."""

    host: str
    hostfile: str
    crowd: tuple[str, ...]  # more ranks than processors
    any_processor: tuple[str, ...]  # ranks may use all of their host
    any_source: int  # MPI_ANY_SOURCE

    def environment(self, variables: Mapping[str, str]) -> list[str]:
        """Words that give ranks these variables."""
        if self is DIALECTS["Open MPI"]:
            return [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        return [word for name, value in variables.items() for word in ("-genv", name, value)]


DIALECTS = {
    "Open MPI": Dialect(
        host="--host",
        hostfile="--hostfile",
        crowd=("--oversubscribe",),
        any_processor=("--bind-to", "none"),
        any_source=-1,
    ),
    "MPICH": Dialect(
        host="-hosts",
        hostfile="-f",
        crowd=(),
        any_processor=(),
        any_source=-2,
    ),
}


def started_by(launcher: str) -> str:
    """The MPI whose programs a launcher starts: a key of DIALECTS, or what it says itself."""
    done = process.tool([launcher, "--version"])
    text = done.stdout + done.stderr
    if "Open MPI" in text or "OpenRTE" in text:
        return "Open MPI"
    return "MPICH" if "HYDRA" in text or "Intel(R) MPI" in text else (text.strip() or "?").splitlines()[0]


@dataclass(frozen=True)
class Hosts:
    """The hosts that a user gave; neither: this one, or those of an allocation of Slurm's."""

    host: str = ""  # names[:slots], with commas
    hostfile: Path | None = None

    def __post_init__(self) -> None:
        if self.hostfile is not None and not self.hostfile.is_file():
            raise UserError(
                f"--hostfile {self.hostfile}: no such file; each line names a host, then slots=N if it likes"
            )

    @property
    def given(self) -> list[tuple[str, int]]:
        """Each with the ranks that it takes: ``name:3``, or ``name slots=3`` in a file; else 1."""
        words = [word.partition(":")[::2] for word in self.host.split(",")] if self.host else []
        if self.hostfile is not None:
            for line in self.hostfile.read_text().splitlines():
                if found := re.match(r"\s*([^\s#:]+)(?::(\d+))?(?:.*?\bslots\s*=\s*(\d+))?", line):
                    words.append((found[1], found[2] or found[3] or ""))
        return [(name, int(slots) if slots.isdecimal() else 1) for name, slots in words]

    @property
    def slots(self) -> int:
        """How many ranks all of them take."""
        return sum(slots for _, slots in self.given)

    @property
    def others(self) -> list[str]:
        """Names, each once, but this host's."""
        here = {"localhost", "127.0.0.1", os.uname().nodename, os.uname().nodename.partition(".")[0]}
        return [host for host in dict.fromkeys(name for name, _ in self.given) if host not in here]

    def words(self, dialect: Dialect) -> list[str]:
        """Of a launcher's command line."""
        words = [dialect.host, self.host] if self.host else []
        if self.hostfile is not None:
            words += [dialect.hostfile, str(self.hostfile)]
        return words or list(dialect.crowd)

    def check(self) -> None:
        """UserError that names hosts on which nothing can be started. Under Slurm its own daemons do that."""
        others = self.others
        if not others or "SLURM_JOB_ID" in os.environ:
            return
        agent = os.environ.get(AGENT, "ssh -o BatchMode=yes -o ConnectTimeout=5").split()
        if shutil.which(agent[0]) is None:
            raise UserError(f"{others[0]}: ranks on other hosts are started by {agent[0]}, which is not installed")
        with ThreadPoolExecutor(len(others)) as pool:
            said = list(pool.map(lambda host: _response([*agent, host, "true"]), others))
        silent = [f"{host} ({why})" for host, why in zip(others, said, strict=True) if why]
        if silent:
            raise UserError(f"nothing can be started on {', '.join(silent)}; try `{' '.join(agent)} {others[0]} true`")


def _response(command: Sequence[str]) -> str:
    """What stands in the way of running something on a host; empty if nothing does."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=RESPONSE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no response in {RESPONSE_SECONDS} s"
    last = done.stderr.strip().splitlines()[-1:] or [f"status {done.returncode}"]
    return "" if done.returncode == 0 else last[0].strip()
