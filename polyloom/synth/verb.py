# SPDX-License-Identifier: Apache-2.0
"""The verb ``polyloom synth``: its options. Input: a design or program; output: what it takes of a part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from polyloom.base import options
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress


def synth(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="TOP|ROLE|PROG.c", help="A design, a top module, a role, or an MPI program.")
    ],
    part: Annotated[
        str, typer.Option(help="ultrascale+, intel-alm or ecp5; default: ultrascale+, of the overlay all.")
    ] = "",
    size: Annotated[str, typer.Option(help="Of the overlay: tiny, small or default; default: tiny.")] = "",
    param: Annotated[list[str] | None, typer.Option(metavar="K=V", help="Set a parameter of the top.")] = None,
    ranks: Annotated[int, typer.Option(help="Of a program: ranks of the job.")] = 4,
    rank: Annotated[int, typer.Option(help="Of a program: the rank that is synthesized.")] = 1,
    pnr: Annotated[
        bool, typer.Option("--pnr", help="Place and route too, for the clock (ecp5; of a board one tile).")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Synthesize RTL with open tools; print what a module takes."""
    from polyloom.synth import designs, flow, parts
    from polyloom.synth import report as reports

    if part and part not in parts.PARTS:
        raise UserError(f"no part '{part}'; parts: {', '.join(parts.PARTS)}")
    is_program = name.endswith(".c")
    options.refuse(context, is_program, "of the overlay; leave it out", "size")
    options.refuse(context, not is_program, "of an MPI program (PROG.c); leave it out", "ranks", "rank")
    overrides = {}
    for text in param or []:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise UserError(f"--param {text}: write NAME=VALUE")
        overrides[key] = value
    results = []
    known = designs.read()
    chosen = [designs.of_program(Path(name), ranks, rank)] if is_program else designs.select(name, known, size)
    for design, family, place in designs.jobs(chosen, part, pnr, known):
        with Progress(f"{design.name} on {family}") as progress:
            results.append(
                flow.synthesize(
                    design, parts.PARTS[family], overrides, place, lambda line: progress.at(0, reports.step(line))
                )
            )
        if not json_output:
            print(reports.as_text(results[-1]), flush=True)
    if json_output:
        print(json.dumps({"designs": [result.as_dict() for result in results]}))
