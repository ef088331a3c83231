# SPDX-License-Identifier: Apache-2.0
"""``polyloom run``, ``new`` and ``apps``. Input: their command lines; output: what applications print, a status."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from polyloom.base import options, paths, process, record
from polyloom.base.errors import UserError
from polyloom.base.site_mpi import Hosts
from polyloom.jobs import applications, comparison, launch, own_program
from polyloom.jobs.processes import Processes
from polyloom.report import bottleneck, page

#: Of numbers that programs in C++ hold in 64 bits.
MOST = 2**64 - 1


def run(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="APP", help="Application, e.g. pagerank; `polyloom apps` lists them.")
    ] = "",
    on: Annotated[str, typer.Option(help="native, sim or rtl (default: as the cluster file says, else sim).")] = "",
    cluster: Annotated[
        str,
        typer.Option(
            envvar="POLYLOOM_CLUSTER",
            help="Shipped cluster or path of a .toml file; default laptop, sort and averaging: optweb-8.",
        ),
    ] = "",
    engine: Annotated[str, typer.Option(help="serial, threads:N or mpi:N (host processes).")] = "",
    max_cycles: Annotated[int, typer.Option(min=0, max=MOST, help="Stop after this many core cycles.")] = 0,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="With --on native: by so many processes under MPI, each with a part of the graph."),
    ] = None,
    host: Annotated[str, typer.Option(metavar="NAMES", help="With --processes: hosts, as the MPI's mpirun.")] = "",
    hostfile: Annotated[Path | None, typer.Option(help="With --processes: a file of hosts, likewise.")] = None,
    seed: Annotated[
        int,
        typer.Option(
            envvar="POLYLOOM_SEED",
            min=0,
            max=MOST,
            help="Of what the application draws, and of the simulator's fault draws.",
        ),
    ] = 0,
    trace: Annotated[bool, typer.Option("--trace", help="Write a Chrome trace into the run folder.")] = False,
    run_dir: Annotated[Path | None, typer.Option(help="Run folder; default runs/TIME-APP-ON.")] = None,
    verify_with: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="Compare with its function reference(graph).")
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Do not write report.html.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    show_help: Annotated[
        bool, typer.Option("--help", "-h", help="This; with APP, that application's options.")
    ] = False,
) -> None:
    """Run an application on a cluster or natively.

    Options that are not listed here go to the application: `polyloom run pagerank --help` lists those of pagerank.
    """
    if show_help or {"--help", "-h"} & set(context.args):
        if name:
            print(applications.find(name).help().rstrip())
            print("\nOptions of all applications (--on, --cluster, ...): polyloom run --help")
        else:
            print(context.get_help())
        return
    if not name:
        raise UserError("run needs the name of an application: polyloom run APP; `polyloom apps` lists them")
    native = launch.fidelity(on) == "native"
    no_cluster = "a native run has no cluster that is simulated; leave it out, or say --on sim"
    options.refuse(context, native, no_cluster, "cluster", "engine", "max_cycles", "trace")
    alone = "several processes are for native runs; leave it out, or say --on native"
    options.refuse(context, not native, alone, "processes", "host", "hostfile")
    drawn = native and options.given(context, "seed") and not applications.find(name).draws
    options.refuse(context, drawn, "a native run of this application draws nothing; leave it out", "seed")
    request = launch.RunRequest(
        app=name,
        args=list(context.args),
        on=on,
        cluster=cluster,
        engine=engine,
        max_cycles=max_cycles,
        seed=seed,
        trace=trace,
        profile=not no_report,
        json_output=json_output,
        run_dir=run_dir,
        processes=Processes.of(processes, Hosts(host, hostfile)),
    )
    with contextlib.ExitStack() as stack:
        if verify_with is not None:
            if applications.find(name).in_python:
                raise UserError(f"--verify-with is for vertex programs; {name} has --verify")
            request.compare_folder = stack.enter_context(process.scratch("comparing"))
        status, folder, output = launch.launch(request)
        verdict = ""
        if verify_with is not None and request.compare_folder is not None and status == 0:
            agrees, verdict = comparison.compare(verify_with, request.compare_folder)
            status = 0 if agrees else 1
    report = None
    if status == 0 and not no_report:
        report = page.write(record.read(folder))
    if status == 0 and not native and not json_output and "--explain" in context.args:
        print(bottleneck.measured(record.read(folder)))
    if json_output:
        _print_json(output, folder, report, {"verified_with": verdict} if verdict else {})
    else:
        if verdict:
            print(f"verification: {verdict}")
        if report is not None:
            print(f"report: {report}")
    raise typer.Exit(status)


def _print_json(output: str, folder: Path, report: Path | None, more: dict[str, str]) -> None:
    try:
        content = json.loads(output)
    except json.JSONDecodeError:
        sys.stdout.write(output)
        return
    content |= more
    content["run_dir"] = str(folder)
    content["report"] = str(report) if report else None
    print(json.dumps(content))


def new(name: Annotated[str, typer.Argument(metavar="NAME", help="Of the program; the file is NAME.cc.")]) -> None:
    """Write a vertex program in one file, to begin with."""
    file = own_program.new(name)
    print(f"{file}: change what it computes, then run it:")
    print(f"polyloom run ./{file} --generate uniform:200:4 --on native")


def list_apps() -> None:
    """List the applications, each with what it computes."""
    found = {app.name: app.description() for app in applications.every()}
    width = max(map(len, found), default=0)
    for name, description in found.items():
        print(f"{name:<{width}}  {description}")
    missing = [name for name in applications.source_names() if name not in found]
    if missing:
        print(f"not built: {', '.join(missing)}; {paths.how_to_build()}", file=sys.stderr)
