# SPDX-License-Identifier: Apache-2.0
"""The verb ``polyloom collective``: its options. Input: a command line; output: a table or JSON, a status."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Annotated

import typer

from polyloom.base import interrupts, options, record
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress
from polyloom.report import page


def collective(
    context: typer.Context,
    operation: Annotated[str, typer.Argument(metavar="OP", help="all-to-all, all-reduce, broadcast, ...")],
    cluster: Annotated[str, typer.Option(help="Shipped cluster or path of a .toml file.")] = "optweb-8",
    size: Annotated[str, typer.Option("--bytes", help="Bytes a rank: 4096, 64K, 1M.")] = "1M",
    algorithm: Annotated[str, typer.Option(help="By name; default: the quickest by the model.")] = "",
    on: Annotated[str, typer.Option(help="sim, rtl or native (default: the cluster file).")] = "",
    sweep: Annotated[str, typer.Option(help="FIRST:LAST, powers of two, instead of --bytes.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Print the model's table of algorithms first.")] = False,
    run_dir: Annotated[Path | None, typer.Option(help="Run folder; default runs/TIME-OP-ON.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Move known data first and check every byte.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Run a collective operation and print its simulated time.

    Beside it stands the time that the model of its algorithm predicts.
    """
    from polyloom.collectives import CollectiveError, Communicator, command  # compiled: only where it is used

    options.refuse(context, operation == "barrier", "a barrier moves nothing; leave it out", "size", "sweep")
    options.refuse(context, bool(sweep), "--sweep gives the sizes; leave one of them out", "size")
    options.refuse(context, json_output, "a table for people; leave it out, or --json", "explain")
    sizes = command.sizes_of(size, sweep)
    if verify and max(sizes) >= command.VISIBLE_BYTES:
        os.environ.setdefault("POLYLOOM_LOAD", "backdoor")
    with record.open_folder(run_dir, Path("runs"), operation, on or "sim", [cluster]) as folder:
        os.environ.update(folder.env)
        os.environ["POLYLOOM_RUN_DIR"] = str(folder.path)
        start = time.monotonic()
        try:
            with (
                Progress(operation, command.work(sizes, verify)) as progress,
                Communicator(cluster, on) as comm,  # its end is the simulator's, which writes its record
            ):
                if explain:
                    progress.clear()
                    print(comm.explain(comm.uniform(operation, sizes[-1])))
                results = command.run(comm, operation, sizes, algorithm, verify, progress)
                text = command.table(comm, results, verify)
                facts = command.facts(comm, results, verify)
        except CollectiveError as error:
            raise UserError(str(error)) from error
        except interrupts.Ended as ended:
            traceback.clear_frames(ended.__traceback__)  # a communicator that was being made ends now
            record.complete(folder, operation, on or "sim", sys.argv, 0, ended.status, time.monotonic() - start)
            raise
        for wanted, result in zip(sizes, results, strict=True):
            if result.bytes not in {wanted, 0}:
                note = f"{wanted} bytes: {result.bytes} are moved, whole elements of 4 bytes in equal blocks"
                print(f"polyloom: {note}", file=sys.stderr)
        command.write_record(folder, facts, sys.argv, time.monotonic() - start)
        page_path = page.write(record.read(folder.path))
    print(json.dumps({**facts, "run_dir": str(folder.path), "report": str(page_path)}) if json_output else text)
    if not json_output:
        print(f"report: {page_path}")
