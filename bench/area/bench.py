# SPDX-License-Identifier: Apache-2.0
"""Area: what a collective node takes by module, by the open flow, beside Figures 14 and 18 of the OPTWEB paper.

Input: designs of polyloom/synth/designs.toml. Output: resources of each module on UltraScale+ and Intel ALMs, the
engine beside the paper's share of its device. The numbers are synthesis results: docs/results/collective-area.md says
what they leave out. QUICK synthesizes a node of 2 lanes and 1 channel only, on Intel ALMs.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict

from bench.area import page
from bench.area.cases import ALM, CASES, TARGETS, Case, share
from bench.common.harness import ROOT, Bench
from polyloom.synth import designs, flow
from polyloom.synth.count import Resources
from polyloom.synth.parts import PARTS

SLOT, SHELL, NODE = "polyloom_collective_slot", "polyloom_shell", "polyloom_collective_node"
SMALL = {"Lanes": "2", "Channels": "1"}


def synthesize(name: str, part: str, overrides: dict[str, str]) -> flow.Result:
    """One design on one part."""
    os.environ.setdefault("POLYLOOM_HOME", str(ROOT))
    print(f"  {name} on {part} ...", file=sys.stderr, flush=True)
    return flow.synthesize(designs.read()[name], PARTS[part], overrides, pnr=False, progress=lambda _: None)


def split(result: flow.Result) -> dict[str, Resources]:
    """Total, and what of it is the operator slot, the shell, and the rest: the engine and its way to the memories."""
    inside = {row.module: row.inside for row in result.rows}
    groups = {"total": Resources(**_numbers(result.total))}
    if result.top != NODE:
        return groups
    groups |= {"operators": inside[SLOT], "shell": inside[SHELL]}
    engine = Resources(**_numbers(result.total))
    engine.add(inside[SLOT], -1)
    engine.add(inside[SHELL], -1)
    return groups | {"engine": engine}


def _numbers(row: Resources) -> dict[str, float]:
    return {"logic": row.logic, "ff": row.ff, "bram": row.bram, "dsp": row.dsp}


def record(bench: Bench, case: Case, part: str, result: flow.Result) -> dict[str, Resources]:
    """Keep all of a result among the figures, and a line of the table for it."""
    groups = split(result)
    bench.figures.setdefault("designs", {}).setdefault(case.design, {})[part] = {
        "top": result.top,
        "parameters": result.parameters,
        "tool": result.tool,
        "groups": {name: asdict(value) for name, value in groups.items()},
        "modules": [{"module": row.module, "instances": row.instances, **_numbers(row)} for row in result.rows],
    }
    names = PARTS[part]
    text = f"{result.total.logic:,.0f} {names.logic}, {result.total.ff:,.0f} FF, {result.total.bram:g} {names.bram}"
    if result.total.dsp:
        text += f", {result.total.dsp:g} DSP"
    parameters = " ".join(f"{k}={v}" for k, v in result.parameters.items() if k in {"Lanes", "Channels", "Words"})
    bench.row(f"{case.what} ({case.design} {parameters}), {part}", text)
    for name in ("engine", "shell", "operators"):
        if name in groups and groups[name].logic:
            bench.row(f"  of it {name}", f"{groups[name].logic:,.0f} {names.logic}")
    return groups


def compare(bench: Bench, case: Case, groups: dict[str, Resources]) -> None:
    """Lines beside the paper's: ALMs by the estimate of the intel-alm part."""
    paper = case.beside
    if paper is None:
        return

    ours, limit = groups["total"].logic, share(paper)
    theirs = "" if paper.application_alm else ", theirs with application"
    texts = (
        f"{case.design}: engine and shell{theirs} ({paper.where})",
        f"{ours:,.0f} ALM, {ours / ALM:.1%} of the device",
        f"{limit * ALM:,.0f}, {limit:.1%}",
        f"{ours / (limit * ALM):.2f}",
    )
    bench.row(*texts)
    margin = (
        "what is left a lane for link IP, host and memory adapters",
        f"{(limit * ALM - ours) / paper.lanes:,.0f} ALM",
    )
    bench.row(f"  {margin[0]}", margin[1])
    bench.figures.setdefault("beside", []).extend([texts, (*margin, "", "")])


def targets(bench: Bench, totals: dict[str, float]) -> None:
    """The engine without application against the paper's share; ``totals``: ALMs of engine and shell by design."""
    for case in CASES:
        if case.beside is None:
            continue
        limit = share(case.beside)
        what = f"engine and shell without application, {case.what.split(',')[0]} ({case.beside.where})"
        ours = totals.get(case.design)
        bench.target(
            what,
            f"below {limit:.1%} of {ALM:,} ALM = {limit * ALM:,.0f}",
            ours,
            None if ours is None else ours < limit * ALM,
            f"{limit:.1%}" + ("" if case.beside.application_alm else " with its averaging circuits"),
        )


def run(bench: Bench) -> None:
    """Everything; QUICK: the smallest node."""
    totals: dict[str, float] = {}
    if bench.quick:
        case, part = Case("collective_node", "2 lanes, 1 channel"), "intel-alm"
        record(bench, case, part, synthesize(case.design, part, SMALL))
    else:
        for case in CASES:
            for part in case.targets:
                groups = record(bench, case, part, synthesize(case.design, part, {}))
            compare(bench, case, groups)
            totals[case.design] = groups["total"].logic
        bench.figures["tables"] = page.tables(bench.figures)
        bench.figures["plots"] = {"area": page.chart(bench.figures)}
    targets(bench, totals)
    bench.note("synthesis only: no place and route, no timing; no link IP, no memory controller, no PCI Express")
    for part in TARGETS:
        bench.note(f"{part}: {PARTS[part].note}")
