# SPDX-License-Identifier: Apache-2.0
"""``polyloom isa-test``: runs programs one after the other. Input: ELF files; output: a verdict for each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from polyloom.base import interrupts, paths, process, record
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress
from polyloom.jobs.isatest import elf

#: A program that does not end within it ends nowhere: it is hours of this machine's time.
MAX_LIMIT_US = 1e9


@dataclass
class Verdict:
    """What a program said: ``tohost`` (1: passed), or why it said nothing; simulated time in microseconds."""

    name: str
    passed: bool
    tohost: int
    reason: str
    microseconds: float


def run(files: list[Path], on: str, cluster: str, limit_us: float) -> list[Verdict]:
    """Run all; UserError if a file is no program or a run cannot be made."""
    if on not in {"sim", "rtl"}:
        raise UserError(f"--on {on}: allowed are sim, rtl")
    if not 0 < limit_us <= MAX_LIMIT_US:
        raise UserError(f"--limit-us {limit_us:g}: allowed is above 0 to {MAX_LIMIT_US:g}, 1000 s of simulated time")
    programs = [elf.read(file) for file in files]
    verdicts: list[Verdict] = []
    with Progress("isa-test", len(programs)) as progress:
        for number, program in enumerate(programs):
            progress.at(number, f"program {number + 1} of {len(programs)}, {program.name}")
            verdicts.append(_verdict(program, on, cluster, limit_us))
    return verdicts


def _verdict(program: elf.Program, on: str, cluster: str, limit_us: float) -> Verdict:
    """What a program says on boards of its own: no other has been there, and none of it is left for the next one."""
    lines: list[str] = []
    with process.scratch("isa") as folder:
        source = Path(folder) / "program.json"
        source.write_text(json.dumps(program.as_dict()))
        env = {
            **paths.environment(),
            "POLYLOOM_ON": on,
            "POLYLOOM_CLUSTER": str(paths.cluster_file(cluster)),
            "POLYLOOM_RUN_DIR": str(Path(folder) / "run"),
        }
        command = [str(paths.program("polyloom-elf-run")), str(limit_us), str(source)]
        status, _ = process.run_child(command, env, Path.cwd(), on_line=lines.append)
    if status in record.INTERRUPTED:
        raise interrupts.Ended(status - 128)
    verdicts = [line for line in lines if line.startswith("{")]
    if status != 0 or len(verdicts) != 1:
        said = "\n".join(line.removeprefix("polyloom: ") for line in lines if not line.startswith("{"))
        raise UserError(said or f"polyloom-elf-run ended with status {status}")
    return Verdict(**json.loads(verdicts[0]))


def as_text(verdicts: list[Verdict], on: str) -> str:
    """A line for each, and the sum."""
    lines = [f"{v.name}: {'passed' if v.passed else 'FAILED: ' + v.reason}" for v in verdicts]
    passed = sum(v.passed for v in verdicts)
    return "\n".join([*lines, f"{passed} of {len(verdicts)} passed on {on}"])


def as_json(verdicts: list[Verdict], on: str) -> str:
    """The same facts for machines."""
    passed = sum(v.passed for v in verdicts)
    return json.dumps({"on": on, "passed": passed, "total": len(verdicts), "tests": [asdict(v) for v in verdicts]})
