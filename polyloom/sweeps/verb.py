# SPDX-License-Identifier: Apache-2.0
"""``polyloom sweep`` and ``polyloom compare``. Input: their command lines; output: a table or JSON, a status."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from polyloom.sweeps import compare as comparing
from polyloom.sweeps import drawing, execute, plan, result


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="What runs: docs/guides/sweeps.md.")],
    jobs: Annotated[int, typer.Option(min=0, max=4096, help="How many runs at a time; default: as many as CPUs.")] = 0,
    folder: Annotated[Path | None, typer.Option(help="Of the records; default: FILE-sweep.")] = None,
    plot_x: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Parameter that the plot goes by; default: the first numeric one."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Run an application with all combinations of values.

    Of its options and of keys of the cluster file. What has finished in the folder is not run again.
    """
    plans = plan.read(file)
    if plans.swept or plot_x is not None:
        plot_x = drawing.axis({name: plans.values[name] for name in plans.swept}, plot_x)
    folder = Path(f"{file.stem}-sweep") if folder is None else folder
    swept = execute.execute(plans, folder, jobs, plot_x)
    if json_output:
        files = {"csv": str(folder / result.CSV), "page": str(folder / result.PAGE)}
        print(json.dumps({"folder": str(folder), **files, "plot_x": plot_x, "swept": swept.swept, "rows": swept.rows}))
    else:
        print(swept.table())
        print(f"table: {folder / result.CSV}")
        print(f"page: {folder / result.PAGE}")
    if swept.failed:
        what = f"{swept.failed} of {len(swept.rows)} runs failed"
        print(f"polyloom: {what}; the next sweep into {folder} runs them again", file=sys.stderr)
        raise typer.Exit(1)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of two runs or more.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Say what differs between runs.

    Parameters, cluster, times, results, counters, and what was busiest; ratios are to the first run.
    """
    found = comparing.compare(runs)
    print(json.dumps(found.as_dict()) if json_output else found.text())
